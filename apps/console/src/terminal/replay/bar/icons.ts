/**
 * The pictures on the player's buttons, as lines in a box of 24: the exported page has no library of them.
 * Drawn after Lucide (ISC license).
 */
const LINES = {
  play: ['M6 4l14 8-14 8z'],
  pause: ['M8 4v16', 'M16 4v16'],
  replay: ['M3 12a9 9 0 1 0 3-6.7', 'M3 4v5h5'],
  skip: ['M4 5l8 7-8 7z', 'M13 5l7 7-7 7', 'M21 5v14'],
  search: ['M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z', 'M20 20l-4-4'],
  small: ['M21 9V6a1 1 0 0 0-1-1H4a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h6', 'M13 13h8v6h-8z'],
  keys: ['M3 6h18v12H3z', 'M7 10h.01', 'M12 10h.01', 'M17 10h.01', 'M8 14h8'],
  full: ['M4 9V4h5', 'M15 4h5v5', 'M20 15v5h-5', 'M9 20H4v-5'],
} as const satisfies Record<string, readonly string[]>

export type IconName = keyof typeof LINES

const SVG = 'http://www.w3.org/2000/svg'

/** A new picture; screen readers have the name of its button. */
export function icon(name: IconName): SVGSVGElement {
  const picture = document.createElementNS(SVG, 'svg')
  for (const [attribute, value] of Object.entries({
    viewBox: '0 0 24 24',
    class: 'rp-icon',
    'aria-hidden': 'true',
    'data-icon': name,
  }))
    picture.setAttribute(attribute, value)
  for (const line of LINES[name]) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', line)
    picture.append(path)
  }
  return picture
}
