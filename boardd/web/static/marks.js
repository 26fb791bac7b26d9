// Own the small signs that tell the roles of lights apart without colour or rhythm. Shapes only, no words.

const SVG = "http://www.w3.org/2000/svg";

// Each drawn in a square of 24; stroked unless it begins with "fill ".
const SHAPES = {
  "king-danger": "M4 18 L3 8 L8.5 12 L12 5 L15.5 12 L21 8 L20 18 Z M12 21.5 V22",
  threat: "M12 3 L22 20 H2 Z M12 9 V14 M12 17 V17.2",
  illegal: "M12 3 A9 9 0 1 0 12.01 3 M5.8 5.8 L18.2 18.2",
  missing: "M12 4 V20 M4 12 H20",
  extra: "M4 12 H20",
  remove: "M12 15 V4 M7 9 L12 4 L17 9 M4 15 V20 H20 V15",
  question: "M8 8.5 A4.2 4.2 0 1 1 12.5 12.6 L12 15 M12 19.5 V19.8",
  sensor: "M3 12 H7 L9.5 5 L14 19 L16.5 12 H21",
  "engine-from": "M7 7 H17 V17 H7 Z M10 3 V7 M14 3 V7 M10 17 V21 M14 17 V21",
  "engine-to": "M7 7 H17 V17 H7 Z M3 10 H7 M3 14 H7 M17 10 H21 M17 14 H21 M12 11.9 V12.1",
  winner: "M12 3 L14.7 9 L21 9.6 L16.2 13.9 L17.6 20.2 L12 16.9 L6.4 20.2 L7.8 13.9 L3 9.6 L9.3 9 Z",
  capture: "M12 3 A9 9 0 1 0 12.01 3 M8 8 L16 16 M16 8 L8 16",
  victim: "M5 5 L19 19 M19 5 L5 19",
  risky: "M12 4 A8 8 0 1 0 12.01 4 M12 8 V12.5 M12 15.8 V16",
  destination: "fill M12 7 A5 5 0 1 0 12.01 7",
  origin: "M12 4 L20 12 L12 20 L4 12 Z",
  provisional: "M4.9 12 V12.1 M12 12 V12.1 M19.1 12 V12.1",
  escape: "M5 19 L19 5 M9 5 H19 V15",
  endangered: "M12 3 L20 6 C20 14 17 18.5 12 21 C7 18.5 4 14 4 6 Z",
  hint: "M9 17 H15 M10 21 H14 M8.5 14 A6 6 0 1 1 15.5 14 L15 16.5 H9 Z",
  "last-from": "M12 5 A7 7 0 1 0 12.01 5",
  "last-to": "fill M12 5 A7 7 0 1 0 12.01 5",
  turn: "fill M8 5 L18 12 L8 19 Z",
};

/** Draw the sign of a role; an unknown role gets a plain square. Hidden from screen readers: labels say it in words. */
export function markOf(role) {
  const shape = SHAPES[role] ?? "M5 5 H19 V19 H5 Z";
  const filled = shape.startsWith("fill ");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", filled ? shape.slice(5) : shape);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", filled ? "mark filled" : "mark");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

const ICONS = {
  first: "M18 5 L9 12 L18 19 M6 5 V19",
  back: "M15 5 L7 12 L15 19",
  forth: "M9 5 L17 12 L9 19",
  last: "M6 5 L15 12 L6 19 M18 5 V19",
};

/** Draw a button's icon. */
export function icon(name) {
  const svg = markOf("");
  svg.firstChild.setAttribute("d", ICONS[name]);
  svg.setAttribute("class", "icon");
  return svg;
}

export const MARKED_ROLES = Object.keys(SHAPES);
