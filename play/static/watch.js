// A replay: slider, arrow keys, speed, whose view, and the place in the address (#move=31).

const replay = JSON.parse(document.getElementById("replay").textContent);
const $ = (id) => document.getElementById(id);
const COLOURS = ["#2b6cd4", "#d03a4f", "#0b9b83", "#b8760f", "#8a55c4", "#6d7c88", "#c04a86"];
const last = replay.actors.length - 1;
let now = 0;
let timer = null;

function fromAddress() {
  const place = /(?:^#|&)move=(\d+)/.exec(location.hash);
  return place ? Math.min(Number(place[1]), last) : 0;
}

function view() { return replay.views[$("viewer").value]; }

function show(place, { write = true } = {}) {
  now = Math.max(0, Math.min(place, last));
  draw($("board"), view().pictures[now].map((line) => replay.lines[line]).join("\n"));
  $("slider").value = now;
  const told = view().events[now];
  const words = told.map((event) => named(event.text, replay.names)).join(" · ");
  $("status").textContent = `Move ${now} of ${last}${words ? `: ${words}` : ""}`;
  for (const line of $("log").querySelectorAll(".now")) line.classList.remove("now");
  const lines = $("log").querySelectorAll(`[data-number="${now}"]`);
  for (const line of lines) line.classList.add("now");
  if (lines[0]) $("log").scrollTop = lines[0].offsetTop - $("log").offsetTop - 40;
  curve();
  if (write) history.replaceState(null, "", `#move=${now}`);
}

function shape(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function curve() {
  const most = Math.max(1, ...replay.scores.flat());
  const x = (place) => 300 * place / Math.max(1, last);
  const lines = replay.names.map((name, seat) => shape("polyline", {
    points: replay.scores.map((scores, place) => `${x(place)},${86 - 82 * scores[seat] / most}`).join(" "),
    fill: "none", stroke: COLOURS[seat], "stroke-width": 2, "vector-effect": "non-scaling-stroke",
  }));
  const here = shape("line", { x1: x(now), x2: x(now), y1: 0, y2: 90, stroke: "#e6007e", "vector-effect": "non-scaling-stroke" });
  $("curve").replaceChildren(...lines, here);
  $("curve-title").textContent = `Points: ${replay.scores[now].map((score, seat) => `${replay.names[seat]} ${score}`).join(", ")}`;
}

function run(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => (now < last ? show(now + 1) : run(false)), Number($("speed").value)) : null;
  $("run").textContent = on ? "Pause" : "Play";
}

function tellAll() { tell($("log"), view().events, replay.names); }

$("title").textContent = replay.title;
$("slider").max = last;
$("viewer").replaceChildren(...["all", ...replay.names.keys()].map((viewer) =>
  new Option(viewer === "all" ? "everybody" : replay.names[viewer], viewer)));
$("slider").addEventListener("input", () => show(Number($("slider").value)));
$("back").addEventListener("click", () => show(now - 1));
$("on").addEventListener("click", () => show(now + 1));
$("run").addEventListener("click", () => run(timer === null));
$("speed").addEventListener("change", () => timer !== null && run(true));
$("viewer").addEventListener("change", () => { tellAll(); show(now); });
$("log").addEventListener("click", (event) => {
  const line = event.target.closest("[data-number]");
  if (line) show(Number(line.dataset.number));
});
addEventListener("hashchange", () => show(fromAddress(), { write: false }));
addEventListener("keydown", (event) => {
  if (event.target.closest?.("input, select")) return;
  const places = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last, PageUp: now - 10, PageDown: now + 10 };
  if (event.key in places) { show(places[event.key]); event.preventDefault(); }
  else if (event.key === " " && !event.target.closest?.("button")) { run(timer === null); event.preventDefault(); }
});
tellAll();
show(fromAddress(), { write: false });
