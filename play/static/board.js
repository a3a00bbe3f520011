// The board: an SVG whose pieces can be clicked, and the names of players in texts.

/** Shows a picture; the text is parsed as SVG, so nothing in it runs. */
export function draw(board, text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  parsed.setAttribute("role", "img");
  parsed.removeAttribute("width");
  parsed.removeAttribute("height");
  const left = board.scrollLeft;
  board.replaceChildren(document.importNode(parsed, true));
  board.scrollLeft = left;
}

/** The actions that a piece of the board means, from what was clicked or pointed at. */
export function actionsAt(element) {
  const piece = element.closest?.("[data-action]");
  return piece ? piece.dataset.action.split(" ").map(Number) : [];
}

/** Lights the pieces that mean an action; none lights nothing. */
export function light(board, action) {
  for (const piece of board.querySelectorAll("[data-action]"))
    piece.classList.toggle("lit", piece.dataset.action.split(" ").includes(String(action)));
}

/** A text in which players go by their names. */
export function named(text, names) {
  const told = text.replace(/\bplayer (\d+)\b/gi, (word, seat) => names[seat] ?? word);
  return told.charAt(0).toUpperCase() + told.slice(1);
}

/** Fills a log with the events of each moment. */
export function tell(log, moments, names) {
  log.replaceChildren(...moments.flatMap((events, number) => events.map((event) => {
    const line = document.createElement("li");
    line.className = event.kind;
    line.dataset.number = number;
    line.textContent = named(event.text, names);
    return line;
  })));
}
