// What the pages of all reports have in common.
const number = new Intl.NumberFormat("en");
const whole = value => number.format(Math.round(value));
const percent = value => (value >= 0 ? "+" : "\u2212") + (Math.abs(value) * 100).toFixed(4) + " %";
const share = value => (value * 100).toFixed(1) + " %";
const byId = id => document.getElementById(id);
const text = (id, value) => { byId(id).textContent = value; };
const megabytes = value => (value / 1e6).toFixed(value < 1e7 ? 2 : 1);

function verdict(value) {
  text("verdict", "verdict: " + value);
  byId("verdict").classList.toggle("ok", value === "ok");
}

function tiles(pairs) {
  for (const [value, label] of pairs) {
    const tile = document.createElement("div");
    const strong = document.createElement("b");
    const span = document.createElement("span");
    tile.className = "tile";
    strong.textContent = value;
    span.textContent = label;
    tile.append(strong, span);
    byId("tiles").append(tile);
  }
}

function table(id, lines) {
  lines.forEach((row, i) => {
    const tr = document.createElement("tr");
    for (const cell of row) {
      const td = document.createElement(i === 0 ? "th" : "td");
      td.textContent = cell;
      tr.append(td);
    }
    byId(id).append(tr);
  });
}

const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const ink = dark ? "#e3e8ee" : "#1d2733";
const colours = {truth: ink, withFilter: dark ? "#4db3d8" : "#0b7fab", withoutFilter: "#d1495b",
                 predicted: dark ? "#4db3d8" : "#0b7fab", measured: "#e58f26"};
const plots = [];
function plot(id, option) {
  const chart = echarts.init(byId(id), dark ? "dark" : null);
  chart.setOption(Object.assign({
    animation: false,
    aria: {enabled: true},
    backgroundColor: "transparent",
    grid: {left: 76, right: 24, top: 40, bottom: 48},
    legend: {top: 4},
    tooltip: {trigger: "axis"}}, option));
  plots.push(chart);
}
const axis = (name, extra) => Object.assign({type: "value", max: "dataMax", name, nameLocation: "middle",
  nameGap: 30}, extra);
const yAxis = (name, extra) => axis(name, Object.assign({nameGap: 58, max: null}, extra));
const line = (name, xs, ys, colour, extra) => Object.assign({name, type: "line", showSymbol: false,
  data: xs.map((x, i) => [x, ys[i]]), lineStyle: {width: 2, color: colour},
  itemStyle: {color: colour}}, extra);
addEventListener("resize", () => plots.forEach(p => p.resize()));
