"use strict";
// The live page: what the server tells is merged into the document and drawn, and buttons ask. The token stands
// behind the # of the address, where no server and no other page sees it.
{
  const element = id => document.getElementById(id);
  const token = location.hash.slice(1);
  const address = (path, more = {}) => `${path}?${new URLSearchParams(more)}`;
  let charts = null;
  let heard = null; // when something was heard last
  let isOver = false; // the server has said that it ends
  let waits = false; // a drawing is due
  let flown = null; // the run whose flight is shown
  let isRefused = false; // a server is there, but with another token

  // ---- Whether the server is there

  function say(state, text) {
    const line = element("state");
    if (line.dataset.state !== state || line.textContent !== text) {
      line.dataset.state = state;
      line.textContent = text;
    }
  }

  function tellState() {
    const silent = heard === null ? null : (performance.now() - heard) / 1000;
    if (!token) say("away", "The address lacks the token behind its #: copy the whole line that zilch printed.");
    else if (isRefused) say("away", "A server is there, but not the one of this page: open the address that it printed.");
    else if (isOver) say("over", "The server has ended. What you see is what it told last; the study has it all.");
    else if (silent === null) say("waiting", "Waiting for the study.");
    else if (silent > 15) say("away", "The server is away. This page goes on when it is back.");
    else if (charts?.state.document.isReading) say("live", "Connected; what was recorded before is being read.");
    else say("live", "Connected: every generation is shown when it is recorded.");
  }

  // ---- What is drawn

  function drawSoon() {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      if (!charts) return;
      charts.draw();
      element("charts").dataset.drawn = performance.timeOrigin + performance.now();
    });
  }

  function show(whole) {
    if (charts) charts.state.document = whole;
    else charts = Charts.create(element("charts"), whole);
    element("title").textContent = document.title = `zilch: ${Charts.shown(whole.study)}`;
    drawSoon();
  }

  function hear() {
    heard = performance.now();
    tellState();
  }

  // Its answer, or null if the server cannot be reached.
  function request(method, path, words) {
    return fetch(address(path, words), { method, headers: { "X-Zilch-Token": token } }).catch(() => null);
  }

  async function fetchFlight(run) {
    if (!run.problem?.startsWith("lander")) {
      element("flying").hidden = true;
      return;
    }
    const answer = await request("GET", "/flight", { run: run.run });
    const list = answer?.ok ? await answer.json().catch(() => null) : null;
    if (!list) return;
    element("flying").hidden = false;
    flown = run.run;
    setEpisodes(list);
  }

  // ---- Steering

  async function ask(action) {
    const field = element("value-" + action);
    const value = field?.value ?? "";
    const isPenalty = action === "penalty";
    if (field && !(isPenalty ? value !== "" && Number(value) >= 0 : /^\d{1,15}$/.test(value))) {
      element("answer").textContent = isPenalty ? "A number is needed, 0 or more." : "A whole number is needed; 0 means no limit.";
      return;
    }
    const answer = await request("POST", "/command", { run: charts.run().run, action, value });
    element("answer").textContent = !answer ? "The server cannot be reached; nothing was asked."
      : answer.ok ? `Asked: ${action}${value ? " " + value : ""}.` : `Refused, with status ${answer.status}.`;
  }

  function showCommands(run) {
    element("steering").hidden = Boolean(run.endedBy);
    element("steered").textContent = `run ${run.run}`;
    element("limits").hidden = Boolean(run.isCompared);
    element("compared").hidden = !run.isCompared;
    const list = (run.commands ?? []).slice(-8).reverse().map(({ action, value, asked, heeded }) => {
      const item = document.createElement("li");
      const what = value === null ? action : `${action} ${Charts.number(value)}`;
      item.textContent = `${what}, asked ${Charts.shown(asked)}: ${heeded === null ? "waits for the search" : `heeded after generation ${heeded}`}`;
      return item;
    });
    element("commands").replaceChildren(...list);
  }

  // ---- The server

  // Whether it was refused cannot be seen from events.
  async function lookAgain() {
    const answer = await request("GET", "/flight", { run: 1 });
    isRefused = answer?.status === 403;
    tellState();
    if (answer && !isRefused) listen();
    else setTimeout(lookAgain, 3000);
  }

  function listen() {
    const source = new EventSource(address("/events", { token }));
    source.addEventListener("whole", event => { hear(); isOver = isRefused = false; show(Charts.read(JSON.parse(event.data))); });
    source.addEventListener("news", event => {
      hear();
      if (!charts) return;
      Charts.merge(charts.state.document, JSON.parse(event.data));
      drawSoon();
    });
    source.addEventListener("alive", hear);
    source.addEventListener("refused", event => { hear(); element("answer").textContent = JSON.parse(event.data); });
    source.addEventListener("flight", event => {
      hear();
      const run = charts?.run();
      if (run && String(run.run) === event.data) fetchFlight(run);
    });
    source.addEventListener("end", () => { isOver = true; tellState(); });
    // The browser tries again by itself unless it was refused; then, after a while, this page does.
    source.addEventListener("error", () => {
      heard = performance.now() - 60000;
      tellState();
      if (source.readyState === EventSource.CLOSED) setTimeout(lookAgain, 1000);
    });
  }

  document.querySelectorAll("[data-action]").forEach(button => {
    button.addEventListener("click", () => ask(button.dataset.action));
  });
  element("steering").addEventListener("submit", event => event.preventDefault());
  element("charts").addEventListener("drawn", ({ detail: run }) => {
    showCommands(run);
    if (flown !== run.run) {
      flown = run.run;
      fetchFlight(run);
    }
  });
  setInterval(tellState, 1000);
  tellState();
  if (token) listen();
}
