// What the pages of all reports have in common.
const number = new Intl.NumberFormat("en");
const whole = value => number.format(Math.round(value));
const percent = value => (value >= 0 ? "+" : "\u2212") + (Math.abs(value) * 100).toFixed(4) + " %";
const share = value => (value * 100).toFixed(1) + " %";
const byId = id => document.getElementById(id);
const text = (id, value) => { byId(id).textContent = value; };
const megabytes = value => (value / 1e6).toFixed(value < 1e7 ? 2 : 1);
const digits = value => typeof value !== "number" ? String(value ?? "")
  : Math.abs(value) >= 1e-3 && Math.abs(value) < 1e15 || value === 0
    ? value.toLocaleString("en", {maximumSignificantDigits: Math.abs(value) < 1e4 ? 4 : 15, maximumFractionDigits: 4})
    : value.toExponential(2);

const power = value => value < 1e-2 || value >= 1e6 ? value.toExponential(0).replace("+", "") : digits(value);

function verdict(value) {
  text("verdict", "verdict: " + value);
  byId("verdict").classList.toggle("ok", value === "ok");
}

function element(name, content, attributes) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...[content ?? []].flat());
  return made;
}

function tiles(pairs) {
  for (const [value, label] of pairs) {
    byId("tiles").append(element("div", [element("b", value), element("span", label)], {className: "tile"}));
  }
}

// The first line has the heads. A table that is wider than the screen is scrolled, also with the keyboard.
function fill(table, lines, name) {
  const cell = (value, row, column) => row === 0 ? element("th", value, {scope: "col"})
    : column === 0 ? element("th", value, {scope: "row"}) : element("td", value);
  lines.forEach((line, row) => table.append(element("tr", line.map((value, column) => cell(value, row, column)))));
  const frame = element("div", null, {className: "scroll", tabIndex: 0});
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", name);
  table.replaceWith(frame);
  frame.append(table);
}
const titleOf = node => node.closest("section").querySelector("h2").textContent;
const table = (id, lines) => fill(byId(id), lines, titleOf(byId(id)));

const darkness = matchMedia("(prefers-color-scheme: dark)");
// Colours are part of each plot, so a page that is looked at in the dark is drawn anew.
darkness.addEventListener("change", () => location.reload());
const dark = darkness.matches;
const ink = dark ? "#e3e8ee" : "#1d2733";
const colours = {truth: ink, withFilter: dark ? "#4db3d8" : "#0b7fab", withoutFilter: "#d1495b",
                 predicted: dark ? "#4db3d8" : "#0b7fab", measured: "#e58f26"};
const plots = [];
function plot(id, option) {
  const box = byId(id);
  box.classList.toggle("dark", dark);
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", titleOf(box) + "; the table below has the numbers");
  const chart = echarts.init(box, dark ? "dark" : null, {renderer: "svg"});
  chart.setOption(Object.assign({
    animation: false,
    backgroundColor: "transparent",
    grid: {left: 76, right: 24, top: 40, bottom: 48},
    legend: {top: 4, type: "scroll"},
    tooltip: {trigger: "axis"}}, option));
  plots.push(chart);
  const numbers = element("table");
  box.after(element("details", [element("summary", "Table"), numbers]));
  fill(numbers, numbersOf(option), "Numbers of: " + titleOf(box));
}

// A row for each place on the x axis; of a long curve, some places from its beginning to its end.
const MOST_ROWS = 60;
function numbersOf({xAxis, series}) {
  const points = series.map(({data}) => new Map(data.map((point, at) => {
    const value = point?.said ?? point?.value ?? point;
    return Array.isArray(value) ? [xAxis.data ? xAxis.data[value[0]] : value[0], value[1]] : [xAxis.data[at], value];
  })));
  const places = xAxis.data ?? [...new Set(points.flatMap(map => [...map.keys()]))].sort((a, b) => a - b);
  const step = Math.max(1, Math.ceil((places.length - 1) / MOST_ROWS));
  const shown = places.filter((_, at) => at % step === 0 || at === places.length - 1);
  return [[xAxis.name ?? "", ...series.map(({name}) => name)],
    ...shown.map(place => [digits(place), ...points.map(map => digits(map.get(place)))])];
}

// A logarithmic axis has no place for zero, but the table has.
const positive = value => value > 0 ? value : {value: null, said: value};
const axis = (name, extra) => Object.assign({type: "value", max: "dataMax", name, nameLocation: "middle",
  nameGap: 30}, extra);
const yAxis = (name, extra) => axis(name, Object.assign({nameGap: 62, max: null}, extra));
const words = (data, extra) => Object.assign({type: "category", data, axisLabel: {interval: 0, fontSize: 11, rotate: 20}}, extra);
const line = (name, xs, ys, colour, extra) => Object.assign({name, type: "line", showSymbol: false,
  data: xs.map((x, i) => ys[i]?.said === undefined ? [x, ys[i]] : {value: [x, null], said: [x, ys[i].said]}), lineStyle: {width: 2, color: colour},
  itemStyle: {color: colour}}, extra);
const bar = (name, data, colour, extra) => Object.assign({name, type: "bar", data, itemStyle: {color: colour}}, extra);
addEventListener("resize", () => plots.forEach(p => p.resize()));
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(each => { each.open = true; }));
