"""Pages as a reader has them, in a browser: python3 test_page.py ARTEFACTS PLAY OTHER REPORT

PLAY and OTHER are pages of `zilch play --html`, REPORT is one of `zilch report` on a lander; screenshots go into the folder ARTEFACTS. Every check that
fails is a line on stderr.
"""
import re
import sys
import time
from pathlib import Path

from browser import Browser, BrowserError

WIDTHS = {360: 740, 768: 1024, 1400: 900}  # of a phone, a tablet and a screen, and their heights
EPISODES = re.compile(r"(const episodes = \[)(.*?)(\];)", re.DOTALL)

failures = []


def check(holds, text):
    """Note what does not hold."""
    if not holds:
        failures.append(text)
        print("FAILED:", text, file=sys.stderr)
    return holds


def wait_until(browser, condition, text, limit=10):
    """Check that a condition in JavaScript comes to hold."""
    end = time.monotonic() + limit
    while not (holds := browser.evaluate(condition)) and time.monotonic() < end:
        time.sleep(0.02)
    return check(holds, text)


# ---- Any page


def check_quiet(browser):
    """Neither errors nor requests since the page was opened."""
    for complaint in browser.complaints:
        check(False, f"{browser.url}: {complaint}")
    browser.complaints.clear()


def show(browser, path, width=1400, scheme="light", motion="no-preference", height=0):
    """Open a page for a reader with these wishes; height 0: that of WIDTHS."""
    check_quiet(browser)
    browser.set_size(width, height or WIDTHS[width])
    browser.set_media(prefers_color_scheme=scheme, prefers_reduced_motion=motion)
    browser.open(path)


def check_page(browser, path, width, scheme, artefacts):
    """It needs nothing else, fits the width, and is light or dark; a screenshot is kept."""
    about = f"{path}, {width}, {scheme}: "
    show(browser, path, width, scheme, motion="reduce")
    browser.screenshot(Path(artefacts, f"{Path(path).stem}_{width}_{scheme}.png"))
    wide = browser.evaluate("document.documentElement.scrollWidth")
    check(wide <= width, about + f"is {wide} wide and scrolls sideways")
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    is_dark = sum(map(int, re.findall(r"\d+", paper)[:3])) < 3 * 128
    check(is_dark == (scheme == "dark"), about + f"the background is {paper}")
    text = browser.evaluate("document.documentElement.outerHTML")
    check(not re.search(r"@[\w.]+@", EPISODES.sub("", text)), about + "a place is left unfilled")
    check_quiet(browser)


def check_looks(browser, path, artefacts):
    """All of that, at all widths."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            check_page(browser, path, width, scheme, artefacts)


# ---- A page with a landing


def part(name):
    """An element of landing.html, in JavaScript."""
    return f"document.getElementById('landing-{name}')"


PLAYING = part("play") + ".textContent === 'Pause'"
AT_STEP = f"Number({part('time')}.textContent.split(' ').at(-1))"  # as the reader sees it


def step(browser):
    """The step that is shown."""
    return browser.evaluate(AT_STEP)


def picture(browser):
    """All pixels of the scene."""
    return browser.evaluate(part("scene") + ".toDataURL()")


def is_still(browser):
    """Whether the scene stays as it is for a while."""
    first = step(browser), picture(browser)
    time.sleep(0.25)
    return first == (step(browser), picture(browser))


def show_landing(browser, path, motion="no-preference"):
    """Open a page where its landing is; slow, so that a busy machine does not miss it."""
    show(browser, path, motion=motion)
    browser.evaluate(f"{part('speed')}.value = 0.25, {part('scene')}.scrollIntoView()")


def check_player(browser, path):
    """It plays by itself once it is in view, and pauses, for button, keys and a hidden tab."""
    show_landing(browser, path)
    wait_until(browser, AT_STEP + "> 3", f"{path}: does not begin by itself")
    check(browser.evaluate(PLAYING), f"{path}: plays, but the button does not say Pause")
    scene, before = picture(browser), step(browser)
    wait_until(browser, f"{AT_STEP} > {before}", f"{path}: plays, but no step follows on {before}")
    check(picture(browser) != scene, f"{path}: plays, but the scene is the same")
    browser.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    check(is_still(browser), f"{path}: goes on in a hidden tab")
    browser.evaluate("delete document.hidden, document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(browser, f"{AT_STEP} > {step(browser)}", f"{path}: does not go on when the tab is seen again")
    browser.evaluate(part("play") + ".click()")
    check(not browser.evaluate(PLAYING) and is_still(browser), f"{path}: the button does not pause")
    browser.evaluate(part("play") + ".focus()")
    browser.press(" ")
    check(browser.evaluate(PLAYING), f"{path}: space on the button does not play")
    show_landing(browser, path, motion="reduce")
    check(is_still(browser) and step(browser) == 0, f"{path}: begins by itself, but less motion is wanted")


def check_keys(browser, path, focus="document.body"):
    """Keys, with the focus on an element that leaves them to the landing."""
    show_landing(browser, path, motion="reduce")
    browser.evaluate(focus + ".focus()")
    last = int(browser.evaluate(part("slider") + ".max"))
    steps = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "ArrowLeft", "Home"):
        browser.press(key)
        steps.append(step(browser))
    check(steps == [1, 2, 1, last, last, last - 1, 0], f"{path}, {focus}: arrows, End and Home give {steps}")
    browser.press(" ")
    wait_until(browser, AT_STEP + "> 0", f"{path}, {focus}: space does not play")
    browser.press(" ")
    check(not browser.evaluate(PLAYING) and is_still(browser), f"{path}, {focus}: space does not pause")


def check_seeds(browser, path, count):
    """A choice of `count` episodes, by keys and by the list; for a single one there is none."""
    show_landing(browser, path)
    is_offered = browser.evaluate(part("seed") + ".checkVisibility()")
    check(is_offered == (count > 1), f"{path}: the choice of seeds is {'not ' * (count > 1)}there")
    if count < 2:
        return
    state = f"[{part('title')}.textContent, {part('slider')}.max]"
    browser.evaluate("document.getElementById('landing').focus()")
    seen = []
    for key in "n" * (count - 1) + "p" * (count - 1):
        seen.append(browser.evaluate(state))
        browser.press(key)
        check(browser.evaluate(PLAYING), f"{path}: {key} does not play")
    check(len(set(map(tuple, seen))) == count and browser.evaluate(state) == seen[0],
          f"{path}: n and p lead through {seen}")
    browser.press("End")
    browser.evaluate(f"{part('seed')}.value = 1, {part('seed')}.dispatchEvent(new Event('change'))")
    check(browser.evaluate(state) == seen[1] and browser.evaluate(PLAYING), f"{path}: the list does not play")
    label = browser.evaluate(part("scene") + ".getAttribute('aria-label')")
    check(seen[1][0] in label, f"{path}: the scene's label is {label}")


def check_manners(browser, path, others):
    """Out of view it rests; keys for other elements are left to them, and so is space for the page. The window is low: with a
    short formula before it, a landing is in view of a high one."""
    show(browser, path, height=200)
    check(browser.evaluate("document.getElementById('landing').getBoundingClientRect().top > innerHeight"), f"{path}: is in view")
    check(is_still(browser) and step(browser) == 0, f"{path}: plays out of view")
    browser.press("ArrowRight")
    check(step(browser) == 0, f"{path}: takes a key out of view")
    show_landing(browser, path, motion="reduce")
    time.sleep(0.1)
    for selector in ["body", *others]:
        browser.evaluate(f"document.querySelector('{selector}').focus({{ preventScroll: true }})")
        for key in (" ", "End") + ("ArrowRight",) * (selector != "body"):
            browser.press(key)
        check(step(browser) == 0 and not browser.evaluate(PLAYING), f"{path}: takes keys from {selector}")
    check_keys(browser, path, "document.getElementById('landing')")


# ---- Pages made of pages


def with_episodes_of(path, other, out):
    """The page with the other one's episode as a further one."""
    more = EPISODES.search(Path(other).read_text())[2]
    Path(out).write_text(EPISODES.sub(lambda found: f"{found[1]}{found[2]},{more}{found[3]}",
                                      Path(path).read_text()))
    return out


def among_others(path, out):
    """The page as a part of a long one, with other things to use."""
    things = """<body><button id="other">A button</button> <a id="link" href="#nowhere">A link</a>
<details><summary id="more">More</summary>Text</details>
<div id="box" tabindex="0" style="overflow:auto;width:9rem"><div style="width:90rem">Wide</div></div>
<div style="height:3000px"></div>"""
    Path(out).write_text(Path(path).read_text().replace('<body data-keys="landing">', things))
    return out


def check_report(browser, path):
    """Everything has its place; what is wide scrolls in a box of its own, for keys too."""
    show(browser, path, 360, motion="reduce")
    ids = browser.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    check(len(ids) == len(set(ids)), f"{path}: ids stand twice")
    links = browser.evaluate("[...document.querySelectorAll('nav a')].map(a => a.hash.slice(1))")
    check(len(links) == 8 and set(links) <= set(ids), f"{path}: contents lead to {links}")
    hidden = browser.evaluate("getComputedStyle(document.querySelector('nav [href=\"#failures\"]')).display")
    check(hidden == 'none', f"{path}: contents lead to failures, of which there are none")
    figures = browser.evaluate("[...document.querySelectorAll('figure svg')].map(s => [s.clientWidth, s.clientHeight])")
    check(len(figures) >= 9 and all(w > 250 and h > 100 for w, h in figures), f"{path}: figures of {figures}")
    check(browser.evaluate("document.querySelectorAll('#tables table tbody tr').length") >= 8, f"{path}: no tables")
    check(browser.evaluate("document.querySelector('#point pre').textContent.includes('a_main = ')"), f"{path}: no formulas")
    box = browser.evaluate("[...document.querySelectorAll('#tables .scroll')].map(e => [e.scrollWidth, e.clientWidth])")
    check(all(inner <= outer for inner, outer in box), f"{path}: on a phone tables of {box} scroll sideways")
    heads = browser.evaluate("[...document.querySelectorAll('#table-runs td')].slice(0, 3).map(e => getComputedStyle(e, '::before').content)")
    check(heads == ['"seed"', '"generations"', '"best on record"'], f"{path}: on a phone cells have the heads {heads}")
    show(browser, path, 500, motion="reduce", height=900)
    browser.evaluate("document.querySelector('#table-runs .scroll').focus()")
    browser.press("ArrowRight")
    wait_until(browser, "document.querySelector('#table-runs .scroll').scrollLeft > 0", f"{path}: keys do not scroll a table")


def check_all(browser, artefacts, play, other, report):
    """All checks of all pages."""
    check_looks(browser, play, artefacts)
    check_player(browser, play)
    check_keys(browser, play)
    check_seeds(browser, play, 1)
    two = with_episodes_of(play, other, "two.html")
    check_page(browser, two, 360, "light", artefacts)
    check_seeds(browser, two, 2)
    check_manners(browser, among_others(two, "part.html"), ["#other", "#link", "#more", "#box"])
    check_looks(browser, report, artefacts)
    check_player(browser, report)
    check_seeds(browser, report, 12)
    check_manners(browser, report, ["nav a", '.scroll[tabindex="0"]', ".skip"])
    check_report(browser, report)
    check_quiet(browser)


def main():
    """The exit status."""
    try:
        with Browser(Path.cwd()) as browser:
            check_all(browser, *sys.argv[1:])
    except BrowserError as error:
        check(False, error)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
