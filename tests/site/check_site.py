"""Reads the pages of the site: python3 check_site.py SITE SOURCE LIBRARY ARTEFACTS

- A link inside the site leads to a page, and its #part to a place there. Links to other hosts are for readers: none is fetched.
- No page or style takes a script, a style, a font or an image from another host.
- Every document has its page, every public name of the package its place, and every function that LIBRARY exports, too.
- In a browser, a page is no wider than a phone or a screen, is light or dark as the reader wishes, asks for nothing but
  files of the site, and the search finds names of Python and of C. Screenshots go into the folder ARTEFACTS.

Every check that fails is a line on stderr.
"""
import ast
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from browser import Browser  # noqa: E402

FOREIGN = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
SHOWN = ("index", "docs/gallery", "docs/results/README", "docs/rivals", "api/minimize", "include/zilch.h")  # as pictures
failures = []


def check(holds, text):
    """Note what does not hold."""
    if not holds:
        failures.append(text)
        print("FAILED:", text, file=sys.stderr)
    return holds


class Page(HTMLParser):
    """The places, links and parts of a page."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.parts, self.styles = set(), [], [], []
        self.is_style = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places.update(value for name, value in attributes if name == "id" and value)
        self.is_style = tag == "style"
        self.styles.append(values.get("style") or "")
        if tag == "a":
            self.links += [values["href"]] if values.get("href") else []
        else:
            self.parts += [values[name] for name in ("src", "href", "data", "poster") if values.get(name)]
            self.parts += [part.split()[0] for part in (values.get("srcset") or "").split(",") if part.strip()]

    def handle_data(self, data):
        if self.is_style:
            self.styles.append(data)

    def handle_endtag(self, tag):
        self.is_style = self.is_style and tag != "style"


def is_foreign(address):
    return bool(FOREIGN.match(address)) or address.startswith("mailto:")


def target(site, path, address):
    """The file that an address leads to, and the part of it."""
    link, _, part = address.partition("#")
    name = urllib.parse.unquote(link.partition("?")[0])
    return (Path(os.path.normpath(path.parent / name)) if name else path), urllib.parse.unquote(part)


def check_styles(about, text):
    for found in STYLE.finditer(text):
        check(not is_foreign(found[1] or found[2]), f"{about}: takes from another host: {found[1] or found[2]}")


def check_pages(site):
    """Links and parts of all pages; gives the pages."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    count = 0
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.parts:
            if check(not is_foreign(address), f"{name}: takes from another host: {address}") and not address.startswith("data:"):
                check(target(site, path, address)[0].exists(), f"{name}: a part is missing: {address}")
        for text in page.styles:
            check_styles(name, text)
        for address in (link for link in page.links if not is_foreign(link)):
            count += 1
            file, part = target(site, path, address)
            if check(file.is_file(), f"{name}: a link leads nowhere: {address}") and part and file in pages:
                check(part in pages[file].places, f"{name}: a link leads to a part that its page does not have: {address}")
    for path in site.rglob("*.css"):
        check_styles(path.relative_to(site), path.read_text(encoding="utf-8"))
    print(f"{len(pages)} pages, {count} links between them")
    check(len(pages) > 30 and count > 1000, "no pages found")
    return pages


def public_names(source):
    """`__all__` of the package, without importing it."""
    for node in ast.parse((source / "python/zilch/__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [element.value for element in ast.walk(node.value) if isinstance(element, ast.Constant)]
    return []


def check_complete(site, source, library, pages):
    """Nothing is left out."""
    for path in source.glob("docs/**/*.md"):
        name = path.relative_to(source).with_suffix(".html")
        check((site / name).exists(), f"{path.relative_to(source)} has no page")
    index = pages[site / "index.html"]
    for path in source.glob("docs/**/*.md"):
        name = path.relative_to(source).with_suffix(".html").as_posix()
        check(name in index.links, f"the contents beside the pages do not lead to {name}")
    places = set().union(*(page.places for page in pages.values()))
    names = public_names(source)
    for name in names:
        check({f"zilch.{name}", f"module-zilch.{name}"} & places, f"zilch.{name} is documented nowhere")
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    functions = re.findall(r" T (zilch_\w+)", symbols)
    for name in functions:
        check(name in pages[site / "include/zilch.h.html"].places, f"{name}() is not on the page of its header")
    print(f"{len(names)} names of Python, {len(functions)} functions of C")
    check(len(names) > 15 and len(functions) > 100, "no names found")


def check_look(browser, site, name, width, scheme, artefacts):
    """A page in the browser."""
    about = f"{name}, {width}, {scheme}: "
    browser.set_size(width, 844 if width < 600 else 900)
    browser.set_media(prefers_color_scheme=scheme)
    browser.open(site / f"{name}.html")
    wide = browser.evaluate("document.documentElement.scrollWidth")
    check(wide <= width, about + f"is {wide} wide and scrolls sideways")
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    is_dark = sum(map(int, re.findall(r"\d+", paper)[:3])) < 3 * 128
    check(is_dark == (scheme == "dark"), about + f"the background is {paper}")
    for complaint in browser.complaints:
        check(complaint.startswith((f"request: {site.as_uri()}/", "request: data:")), about + complaint)
    if name in SHOWN:
        browser.screenshot(artefacts / f"site_{name.replace('/', '_')}_{width}_{scheme}.png", whole=False)


def check_search(browser, site, words, expected):
    """What the search of the site finds."""
    browser.open(site / "search.html")
    browser.evaluate(f"location.href = 'search.html?q={words}'")
    finding = f"[...document.querySelectorAll('#search-results a')].some(found => found.getAttribute('href').includes('{expected}'))"
    end = time.monotonic() + 20
    found = False
    while not found and time.monotonic() < end:
        time.sleep(0.1)
        found = browser.evaluate(finding)
    check(found, f"the search for {words} does not find {expected}")


def check_browser(site, pages, artefacts):
    with tempfile.TemporaryDirectory() as scratch, Browser(scratch) as browser:
        for path in pages:
            name = path.relative_to(site).with_suffix("").as_posix()
            if name.startswith(("docs/", "api/", "include/")) or "/" not in name:
                check_look(browser, site, name, 390, "light", artefacts)
            if name in SHOWN:
                for width, scheme in ((390, "dark"), (1280, "light"), (1280, "dark")):
                    check_look(browser, site, name, width, scheme, artefacts)
        check_search(browser, site, "minimize", "api/minimize.html#zilch.minimize")
        check_search(browser, site, "zilch_model_fit", "include/zilch.h.html#zilch_model_fit")
        check_search(browser, site, "pendulum", "docs/tutorial.html")


def main():
    site, source, library, artefacts = (Path(argument).resolve() for argument in sys.argv[1:])
    pages = check_pages(site)
    check_complete(site, source, library, pages)
    check_browser(site, pages, artefacts)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
