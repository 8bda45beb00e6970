"use strict";
// Draws the runs of a study from a document (cli/study/follow.h): the same for the live page, which merges what is
// new into it, and for a report, which has it whole. Every text of it is put as text.
const Charts = (() => {
  const space = "http://www.w3.org/2000/svg";

  function put(parent, tag, attributes = {}, text = null) {
    const isDrawing = parent instanceof SVGElement || tag === "svg";
    const element = isDrawing ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== null) element.textContent = text;
    parent.append(element);
    return element;
  }

  // ---- Texts and numbers

  // Characters that would not be seen, or would turn what stands around them, are shown by their numbers.
  function shown(text) {
    return String(text ?? "").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, c => {
      if (c === "\n") return "\n";
      return "\\u" + c.codePointAt(0).toString(16).padStart(4, "0");
    });
  }

  function number(value, digits = 4) {
    if (value === null || value === undefined || !Number.isFinite(Number(value))) return "–";
    const v = Number(value);
    const size = Math.abs(v);
    const text = v === 0 ? "0" : size >= 1e6 || size < 1e-4 ? v.toExponential(2)
      : Number.isInteger(v) ? String(v) : String(Number(v.toPrecision(digits)));
    return text.replace(/-/g, "\u2212");
  }

  function duration(seconds) {
    const s = Math.round(seconds);
    if (s < 60) return `${s} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
    return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
  }

  // ---- The document

  function merge(into, news) {
    into.study = news.study;
    into.isReading = news.isReading;
    for (const part of news.runs) {
      let run = into.runs.find(r => r.run === part.run);
      if (!run) into.runs.push(run = {});
      for (const [key, value] of Object.entries(part)) {
        const grows = value && value.from !== undefined && Array.isArray(value.list);
        run[key] = grows ? (run[key] ?? []).slice(0, value.from).concat(value.list) : value;
      }
    }
    return into;
  }

  const empty = () => ({ study: "", runs: [], isReading: true });
  const read = whole => merge(empty(), whole);

  // A row: generation, evaluations, failures, value, fitness, active, noise, seconds in the objective, outside it.
  const [GENERATION, EVALUATIONS, FAILED, VALUE, FITNESS, ACTIVE, NOISE, EVALUATING, SEARCHING] = Array(9).keys();
  const rowsOf = run => run.rows ?? [];
  const lastOf = run => rowsOf(run).at(-1) ?? null;
  const label = run => `${run.run} ${shown(run.name)}${run.seed === undefined ? "" : `, seed ${run.seed}`}`;
  const hasPenalty = run => rowsOf(run).some(r => r[VALUE] !== null && r[VALUE] !== r[FITNESS]);

  // ---- Axes

  function ticks(low, high, isLog, isWhole = false) {
    if (isLog) {
      const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
      const step = Math.max(1, Math.ceil((last - first) / 6));
      const list = [];
      for (let k = first; k <= last; k += step) list.push(10 ** k);
      return list.length > 1 ? list : [low, high];
    }
    const rough = (high - low) / 5;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(isWhole ? 1 : 0, [1, 2, 5, 10].map(m => m * unit).find(s => s >= rough * 0.999));
    const list = [];
    for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) list.push(k * step);
    return list;
  }

  function axis(values, isLog) {
    const list = values.filter(v => v !== null && Number.isFinite(v) && (!isLog || v > 0));
    let [low, high] = list.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    if (!(low <= high)) [low, high] = isLog ? [1, 10] : [0, 1];
    if (low === high) [low, high] = isLog ? [low / 2, high * 2] : [low - Math.max(1e-12, Math.abs(low) * 0.1) , high + Math.max(1e-12, Math.abs(high) * 0.1)];
    return { low, high, isLog, at: v => isLog ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low),
      has: v => v !== null && Number.isFinite(v) && (!isLog || v > 0) };
  }

  // A drawing with axes, as wide as its place; gives where a pair of values stands in it.
  function frame(parent, { x, y, xName, yName, about, height = 300 }) {
    const width = Math.max(300, Math.min(900, Math.floor(parent.clientWidth || 640)));
    const [left, right, top, bottom] = [64, 16, 10, 42];
    const drawing = put(parent, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": about });
    const px = v => +(left + x.at(v) * (width - left - right)).toFixed(1);
    const py = v => +(height - bottom - y.at(v) * (height - top - bottom)).toFixed(1);
    const grid = put(drawing, "g", { class: "grid" });
    const most = width < 480 ? 4 : 8;
    ticks(x.low, x.high, x.isLog, true).slice(0, most + 1).forEach(v => {
      put(grid, "line", { x1: px(v), x2: px(v), y1: top, y2: height - bottom });
      put(grid, "text", { x: px(v), y: height - bottom + 16, "text-anchor": "middle" }, number(v, 3));
    });
    ticks(y.low, y.high, y.isLog).forEach(v => {
      put(grid, "line", { x1: left, x2: width - right, y1: py(v), y2: py(v) });
      put(grid, "text", { x: left - 6, y: py(v) + 4, "text-anchor": "end" }, number(v, 3));
    });
    put(drawing, "text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "axis" }, xName);
    put(drawing, "text", { x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle", class: "axis",
      transform: `rotate(-90 12 ${(top + height - bottom) / 2})` }, yName);
    return { drawing, px, py, width, height, left, right, top, bottom };
  }

  function steps(f, points) {
    let path = "";
    let drawn = null;
    points.forEach(([x, y]) => {
      const [a, b] = [f.px(x), f.py(y)];
      if (drawn !== null && drawn[0] === a && drawn[1] === b) return;
      path += drawn === null ? `M${a} ${b}` : drawn[1] === b ? `H${a}` : `H${a}V${b}`;
      drawn = [a, b];
    });
    return path;
  }

  // ---- Figures

  function drawValues(parent, runs, chosen, wishes) {
    const column = run => rowsOf(run).flatMap(r => [r[VALUE], r[FITNESS]]).filter(v => v !== null);
    const all = runs.flatMap(column);
    const [least, most] = all.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    const canLog = least > 0;
    const isLogY = canLog && (wishes.logY ?? (chosen.direction === "minimize" && most > 1000 * least));
    const targets = runs.map(r => r.target ?? null).filter(v => v !== null);
    const x = axis([...(wishes.logX ? [] : [0]), ...runs.flatMap(run => rowsOf(run).map(r => r[EVALUATIONS]))], wishes.logX);
    const y = axis([...all, ...targets], isLogY);
    const last = lastOf(chosen);
    const f = frame(parent, { x, y, xName: "evaluations", yName: "value of the best point",
      about: `The best value after each generation. Run ${label(chosen)}: ` +
        (last ? `value ${number(last[VALUE])}, after the penalty ${number(last[FITNESS])}, after ${last[EVALUATIONS]} evaluations.` : "no generation yet.") });
    const points = (run, k) => rowsOf(run).filter(r => x.has(r[EVALUATIONS]) && y.has(r[k])).map(r => [r[EVALUATIONS], r[k]]);
    for (const target of new Set(targets)) {
      if (!y.has(target)) continue;
      put(f.drawing, "line", { class: "target", x1: f.left, x2: f.width - f.right, y1: f.py(target), y2: f.py(target) });
      put(f.drawing, "text", { class: "note", x: f.left + 4, y: f.py(target) - 4 }, `target ${number(target)}`);
    }
    const labelled = []; // where, so that none stands on another
    for (const run of [...runs.filter(r => r !== chosen), chosen]) {
      const isChosen = run === chosen;
      const list = points(run, FITNESS);
      if (!list.length) continue;
      put(f.drawing, "path", { class: isChosen ? "line chosen" : "line other", d: steps(f, list) });
      if (isChosen && hasPenalty(run)) put(f.drawing, "path", { class: "line chosen value", d: steps(f, points(run, VALUE)) });
      const [a, b] = list.at(-1);
      put(f.drawing, "circle", { class: isChosen ? "end chosen" : "end other", cx: f.px(a), cy: f.py(b), r: isChosen ? 4 : 3 });
      let side = f.px(a) - 4;
      while (labelled.some(([x, y]) => Math.abs(x - side) < 14 && Math.abs(y - f.py(b)) < 12)) side -= 14;
      labelled.push([side, f.py(b)]);
      if (runs.length > 1) put(f.drawing, "text", { class: "note", x: +side.toFixed(1), y: +(f.py(b) - 6).toFixed(1), "text-anchor": "end" }, String(run.run));
    }
    const lines = hasPenalty(chosen) ? "Unbroken line: after the penalty for active coordinates, which is what the search improves. Dotted line: the value alone."
      : "The best point after each generation.";
    const isFewer = chosen.direction === "minimize" ? "Less is better." : "More is better.";
    return `${lines} ${isFewer}${runs.length > 1 ? " Numbers stand at the ends of the runs." : ""}`;
  }

  function drawFront(parent, runs, chosen) {
    const having = runs.filter(r => r.look?.front?.length);
    if (!having.length) return null;
    const all = having.flatMap(r => r.look.front);
    const ends = all.flatMap(([, v, e]) => e === null ? [v] : [v - e, v + e]);
    const values = all.map(p => p[1]);
    const isLog = chosen.direction === "minimize" && Math.min(...values) > 0 && Math.max(...values) > 1000 * Math.min(...values);
    const f = frame(parent, { x: axis(all.map(p => p[0]).concat(0)), y: axis(isLog ? values : ends, isLog), height: 260,
      xName: "active coordinates", yName: "value",
      about: `The front: the best value for each number of active coordinates, ${all.length} points.` });
    for (const run of [...having.filter(r => r !== chosen), ...having.filter(r => r === chosen)]) {
      const isChosen = run === chosen;
      put(f.drawing, "path", { class: isChosen ? "line chosen" : "line other", d: steps(f, run.look.front) });
      for (const [active, value, error] of run.look.front) {
        if (isChosen && error !== null && !isLog) {
          put(f.drawing, "line", { class: "error", x1: f.px(active), x2: f.px(active), y1: f.py(value - error), y2: f.py(value + error) });
        }
        const point = put(f.drawing, "circle", { class: isChosen ? "end chosen" : "end other", cx: f.px(active), cy: f.py(value), r: isChosen ? 4 : 3 });
        put(point, "title", {}, `${active} active: ${number(value)}${error === null ? "" : ` ± ${number(error, 2)}`}`);
      }
    }
    const noisy = chosen.look?.front?.some(p => p[2] !== null);
    const when = chosen.look ? `, after generation ${chosen.look.generation}` : "";
    return `The best value with so many active coordinates${when}.${noisy ? " Bars: one standard error, from the noise and the number of evaluations of a point." : ""}`;
  }

  // A row for each coordinate: the higher its bar, the larger the share of evaluations in which it was active.
  function drawActive(parent, run) {
    const names = run.activeNames ?? [];
    const columns = run.active ?? [];
    if (!names.length || !columns.length) return null;
    const width = Math.max(300, Math.min(900, Math.floor(parent.clientWidth || 640)));
    const [left, right, row, bottom] = [Math.min(170, Math.floor(width * 0.34)), 44, 16, 36];
    const height = names.length * row + bottom;
    const last = columns.at(-1);
    const often = names.map((name, k) => [last[k], name]).sort((a, b) => b[0] - a[0]).slice(0, 3);
    const drawing = put(parent, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `Which coordinates were active when. Most often now: ${often.map(([share, name]) => `${shown(name)} ${share} %`).join(", ")}.` });
    const all = Math.max(columns.length, 2);
    const at = k => +(left + k / all * (width - left - right)).toFixed(1);
    names.forEach((name, k) => {
      const base = (k + 1) * row - 2;
      const letters = Math.floor((left - 8) / 6.6);
      const text = shown(name).replace(/\n/g, " ");
      const short = text.length > letters ? text.slice(0, letters - 1) + "…" : text;
      const words = put(drawing, "text", { class: "name", x: left - 6, y: base - 2, "text-anchor": "end" }, short);
      if (short !== text) put(words, "title", {}, text);
      put(drawing, "line", { class: "base", x1: left, x2: width - right, y1: base, y2: base });
      let path = "";
      columns.forEach((column, c) => {
        const h = +(column[k] / 100 * (row - 3)).toFixed(1);
        if (h > 0) path += `M${at(c)} ${base}V${+(base - h).toFixed(1)}H${at(c + 1)}V${base}Z`;
      });
      put(drawing, "path", { class: "cells", d: path });
      put(drawing, "text", { class: "name", x: width - right + 4, y: base - 2 }, `${last[k]} %`);
    });
    const end = columns.length * (run.binWidth ?? 1);
    put(drawing, "text", { class: "axis", x: left, y: height - 20 }, "1");
    put(drawing, "text", { class: "axis", x: width - right, y: height - 20, "text-anchor": "end" }, String(Math.max(end, all)));
    put(drawing, "text", { class: "axis", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "generation");
    const shownOf = names.length < run.dim ? ` The ${names.length} that were active most often, of ${run.dim}.` : "";
    return `The higher a bar, the more evaluations had the coordinate active; at the right the share now.${shownOf}`;
  }

  // ---- Tables

  function table(parent, heads, rows) {
    const box = put(parent, "div", { class: "scroll" });
    const t = put(box, "table");
    const head = put(put(t, "thead"), "tr");
    heads.forEach(text => put(head, "th", { scope: "col" }, text));
    const body = put(t, "tbody");
    for (const row of rows) {
      const line = put(body, "tr");
      row.forEach((cell, k) => {
        const place = put(line, k ? "td" : "th", { "data-head": heads[k], ...(k ? {} : { scope: "row" }) });
        if (cell instanceof Node) place.append(cell);
        else place.textContent = cell;
      });
    }
    return t;
  }

  function drawPoint(parent, run) {
    const sets = [["Best seen", run.best], ["Recommended", run.recommended]].filter(([, point]) => point);
    for (const [name, point] of sets) {
      const box = put(parent, "div", { class: "half" });
      put(box, "h4", {}, name === "Recommended" ? `${name}: ${number(point.value)}${point.error ? ` ± ${number(point.error, 2)}` : ""}` : name);
      if (point.heldOut !== null && point.heldOut !== undefined) {
        put(box, "p", { class: "faint" }, `Held out: ${number(point.heldOut)}${point.heldOutError ? ` ± ${number(point.heldOutError, 2)}` : ""}`);
      }
      const lines = point.list.map(([n, v]) => [shown(n), number(v, 5)]);
      const each = lines.length > 14 ? Math.ceil(lines.length / 2) : 14; // a long list stands in two columns
      const columns = put(box, "div", { class: "columns" });
      for (let k = 0; k < lines.length; k += each) table(columns, ["coordinate", "value"], lines.slice(k, k + each));
      if (!lines.length) put(box, "p", {}, "No coordinate is active.");
      if (point.active > point.list.length) put(box, "p", { class: "faint" }, `${point.active} are active; these are the first ${point.list.length}.`);
    }
    return sets.length ? "" : null;
  }

  function drawChanges(parent, run) {
    const list = run.changes ?? [];
    if (!list.length) return null;
    const words = (sign, names) => names && names.length ? names.map(n => sign + "\u00a0" + shown(n)).join(", ") : "";
    table(parent, ["evaluations", "value", "after penalty", "active", "what changed"], list.map((c, k) => [number(c.evaluations),
      number(c.value), number(c.fitness), String(c.active), [words("+", c.gained), words("\u2212", c.lost)].filter(Boolean).join("; ") || (c.gained ? "only its numbers" : k + 1 === run.changesAll ? "the first" : "")]));
    return `Coordinates that became active (+) or stopped being so (\u2212), the latest first.${run.changesAll > list.length ? ` The last ${list.length} of ${run.changesAll}.` : ""}`;
  }

  function drawLaw(parent, run) {
    const law = run.look?.law;
    if (!law) return null;
    table(parent, ["coordinate", "probability", "", "mean", "spread"], law.list.map(([name, p, mean, spread]) => {
      const bar = document.createElementNS(space, "svg");
      for (const [k, v] of Object.entries({ class: "bar", viewBox: "0 0 100 10", width: 100, height: 10, "aria-hidden": "true" })) bar.setAttribute(k, v);
      put(bar, "rect", { class: "frame", x: 0.5, y: 0.5, width: 99, height: 9 });
      put(bar, "rect", { class: "fill", x: 0, y: 0, width: +(100 * p).toFixed(1), height: 10 });
      return [shown(name), number(p, 2), bar, number(mean, 3), number(spread, 3)];
    }));
    if (law.pairs.length) {
      put(parent, "h4", {}, "Strongest correlations in it");
      table(parent, ["of", "with", "correlation"], law.pairs.map(([a, b, c]) => [shown(a), shown(b), number(c, 2)]));
    }
    return `The distribution that new points are drawn from, after generation ${run.look.generation}: the ${law.list.length} of ${run.dim} coordinates with the highest probability of being active. Mean and spread are those of its value when it is active.`;
  }

  // A regression is a dot for each row; a logistic regression shows how many rows got which probability.
  function drawFit(parent, run) {
    const fit = run.look?.fit;
    if (!fit?.list.length) return null;
    const which = fit.isRecommended ? "the recommended point" : "the best point seen";
    const score = `${fit.isLogistic ? "Accuracy" : "R²"}: ${number(fit.training, 3)} in training, ${number(fit.validation, 3)} on rows held out.`;
    if (fit.isLogistic) {
      const most = Math.max(1, ...fit.list.flat());
      const f = frame(parent, { x: axis([0, 1]), y: axis([0, most]), height: 260, xName: `predicted probability that ${shown(fit.response)} is 1`, yName: "rows",
        about: `How probable ${which} finds a 1, for rows that were a 0 and rows that were a 1.` });
      for (const [k, name] of [[0, "line other"], [1, "line chosen"]]) {
        const points = fit.list.flatMap((pair, i) => [[i / fit.list.length, pair[k]], [(i + 1) / fit.list.length, pair[k]]]);
        put(f.drawing, "path", { class: name, d: steps(f, points) });
      }
      return `What ${which} says of ${fit.rows} rows. Unbroken line: rows that were a 1. Broken line: rows that were a 0. ${score}`;
    }
    const all = axis(fit.list.flat());
    const f = frame(parent, { x: all, y: all, height: 320, xName: `observed: ${shown(fit.response)}`, yName: "predicted",
      about: `What ${which} predicts against what was observed, ${fit.list.length} rows.` });
    put(f.drawing, "line", { class: "target", x1: f.px(all.low), y1: f.py(all.low), x2: f.px(all.high), y2: f.py(all.high) });
    for (const [observed, predicted] of fit.list) {
      if (all.has(observed) && all.has(predicted)) put(f.drawing, "circle", { class: "dot", cx: f.px(observed), cy: f.py(predicted), r: 3 });
    }
    const some = fit.list.length < fit.rows ? `${fit.list.length} of ${fit.rows} rows` : `${fit.rows} rows`;
    return `What ${which} predicts for ${some} of the data. On the broken line a prediction is right. ${score}`;
  }

  function drawFailures(parent, run) {
    const list = run.failures ?? [];
    const count = lastOf(run)?.[FAILED] ?? 0;
    if (!list.length) return count ? `${count} evaluations have failed; nobody said why.` : null;
    for (const { generation, reason, output } of list) {
      const item = put(parent, "details");
      put(item, "summary", {}, `generation ${generation || "after the search"}: ${shown(reason) || "no reason given"}`);
      put(item, "pre", {}, shown(output) || "(no output)");
    }
    return `${count} evaluations have failed; the latest with a text are first.`;
  }

  // ---- Facts

  function paceOf(run) {
    const list = rowsOf(run).slice(-50);
    const seconds = list.reduce((sum, r) => sum + r[EVALUATING] + r[SEARCHING], 0);
    const inside = list.reduce((sum, r) => sum + r[EVALUATING], 0);
    const first = rowsOf(run).at(-list.length - 1)?.[EVALUATIONS] ?? 0;
    const count = list.length ? list.at(-1)[EVALUATIONS] - first : 0;
    const thinned = list.length > 1 && list[1][GENERATION] - list[0][GENERATION] > 1 ? list[1][GENERATION] - list[0][GENERATION] : 1;
    return { perSecond: seconds > 0 ? count / (seconds * thinned) : null, inside: seconds > 0 ? inside / seconds : null,
      generation: list.length ? seconds / list.length : null };
  }

  function secondsLeft(run) {
    const last = lastOf(run);
    const pace = paceOf(run);
    if (!last || run.endedBy || !pace.perSecond) return null;
    const list = [];
    if (run.limitEvaluations) list.push((run.limitEvaluations - last[EVALUATIONS]) / pace.perSecond);
    if (run.limitGenerations) list.push((run.limitGenerations - last[GENERATION]) * pace.generation);
    return list.length ? Math.max(0, Math.min(...list)) : null;
  }

  function facts(parent, run) {
    const last = lastOf(run);
    const pace = paceOf(run);
    const left = secondsLeft(run);
    const of = limit => limit ? ` of ${limit}` : ""; // with all its digits
    const list = [
      ["value", last && number(last[VALUE])], ["after the penalty", last && hasPenalty(run) && number(last[FITNESS])],
      ["active", last && `${last[ACTIVE]} of ${run.dim}`],
      ["evaluations", last && `${last[EVALUATIONS]}${of(run.limitEvaluations)}`],
      ["in the final check", run.spent > 0 && `${number(run.spent)} more`],
      ["generations", last && `${last[GENERATION]}${of(run.limitGenerations)}`],
      ["failures", last && String(last[FAILED])], ["noise (standard deviation)", last && last[NOISE] && number(last[NOISE], 3)],
      ["evaluations a second", pace.perSecond && number(pace.perSecond, 3)],
      ["time spent evaluating", pace.inside !== null && `${Math.round(100 * pace.inside)} %`],
      ["evaluated side by side", run.workers && shown(run.workers)], ["time left", left !== null && duration(left)],
      ["ended by", run.endedBy && shown(run.endedBy)],
      ["method", shown(run.method)], ["direction", shown(run.direction)], ["penalty for each active coordinate", number(run.penalty)],
      ["problem", shown(run.problem).replace(/,/g, ",\u200b"), true], ["program", run.program && shown(run.program), true], ["data", run.data && shown(run.data), true],
      ["began", run.started && shown(run.started).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\dZ$/, "$1 $2 UTC")], ["machine", run.machine && shown(run.machine), true],
    ];
    const box = put(parent, "dl", { class: "facts" });
    for (const [name, text, isLong] of list) {
      if (!text) continue;
      const item = put(box, "div", isLong ? { class: "long" } : {});
      put(item, "dt", {}, name);
      put(item, "dd", {}, text);
    }
    return last && !run.look ? "The front, and what the search believes, follow as soon as the whole run is read." : "";
  }

  // ---- All of it

  const parts = [
    ["facts", "The run", (place, runs, chosen) => facts(place, chosen)],
    ["values", "Value over evaluations", drawValues],
    ["front", "Value against active coordinates (the front)", drawFront],
    ["active", "What is active when", (place, runs, chosen) => drawActive(place, chosen)],
    ["point", "The best point", (place, runs, chosen) => drawPoint(place, chosen)],
    ["changes", "How the best point changed", (place, runs, chosen) => drawChanges(place, chosen)],
    ["law", "What the search believes (its law)", (place, runs, chosen) => drawLaw(place, chosen)],
    ["fit", "Predicted against observed", (place, runs, chosen) => drawFit(place, chosen)],
    ["failed", "Failures", (place, runs, chosen) => drawFailures(place, chosen)],
  ];

  // state: document, chosen (a run's number), isAlone (others are hidden), logX, logY
  function create(root, whole, chosen = null) {
    const state = { document: whole, chosen, isAlone: false, logX: false, logY: null };
    const bar = put(root, "div", { class: "runs", role: "group", "aria-label": "Runs and axes" });
    const places = parts.map(([id, name]) => {
      const section = put(root, "section", { id: `chart-${id}`, "aria-label": name });
      put(section, "h3", {}, name);
      return { section, note: put(section, "p", { class: "faint" }), body: put(section, "div", { class: "body" }) };
    });

    const chosenRun = () => state.document.runs.find(r => r.run === state.chosen) ?? state.document.runs.at(-1);

    function button(name, text, isPressed, act) {
      const made = put(bar, "button", { type: "button", "aria-pressed": String(isPressed), "data-name": name }, text);
      made.addEventListener("click", act);
    }

    function drawBar(run) {
      const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.name : null;
      bar.replaceChildren();
      for (const r of state.document.runs.length > 1 ? state.document.runs : []) {
        button(`run ${r.run}`, label(r), r === run && state.isAlone, () => choose(r.run));
      }
      button("log x", "log x", state.logX, () => toggle("logX"));
      button("log y", "log y", state.logY === true, () => toggle("logY"));
      if (focused) [...bar.children].find(b => b.dataset.name === focused)?.focus();
    }

    function draw() {
      const run = chosenRun();
      if (!run) return;
      const runs = state.isAlone ? [run] : state.document.runs;
      drawBar(run);
      parts.forEach(([, , make], k) => {
        const { section, note, body } = places[k];
        const open = [...body.querySelectorAll("details")].map(d => d.open);
        section.hidden = false;
        body.replaceChildren();
        const text = make(body, runs, run, state);
        section.hidden = text === null;
        note.textContent = text ?? "";
        note.hidden = !text;
        [...body.querySelectorAll("details")].forEach((d, i) => { d.open = open[i] ?? false; });
      });
      root.dispatchEvent(new CustomEvent("drawn", { detail: run }));
    }

    function choose(number) {
      state.isAlone = !(state.isAlone && state.chosen === number);
      state.chosen = number;
      draw();
    }

    function toggle(which) {
      state[which] = !state[which];
      draw();
    }

    document.addEventListener("keydown", event => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) return;
      const index = "123456789".indexOf(event.key);
      if (event.key === "x") toggle("logX");
      else if (event.key === "y") toggle("logY");
      else if (event.key.length === 1 && index >= 0 && index < state.document.runs.length) choose(state.document.runs[index].run);
    });
    let width = root.clientWidth;
    new ResizeObserver(() => {
      if (root.clientWidth !== width) draw();
      width = root.clientWidth;
    }).observe(root);
    draw();
    return { state, draw, choose, run: chosenRun };
  }

  return { create, merge, read, shown, number, duration };
})();
