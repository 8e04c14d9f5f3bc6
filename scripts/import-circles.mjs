/** The folder in which two paths diverge, and the entry of it that each of them is or is in. */
function partingOf(from, to) {
  const [a, b] = [from.split('/'), to.split('/')]
  let depth = 0
  while (a[depth] === b[depth]) depth++
  return { folder: a.slice(0, depth).join('/'), from: a[depth], to: b[depth] }
}

/** The shortest way through `edges` from an entry back to itself. */
function shortestCircle(edges, start) {
  const cameFrom = new Map()
  const waiting = [start]
  for (const entry of waiting) {
    for (const next of edges.get(entry)?.keys() ?? []) {
      if (next === start) {
        const circle = [entry]
        while (circle[0] !== start) circle.unshift(cameFrom.get(circle[0]))
        return circle
      }
      if (!cameFrom.has(next)) {
        cameFrom.set(next, entry)
        waiting.push(next)
      }
    }
  }
  return undefined
}

/**
 * Import circles between the entries of a folder, where its files and each subfolder count as one,
 * at every level of the tree. Among circles that share an entry, the shortest is reported.
 * @param {Iterable<[from: string, to: string]>} imports paths from the root of the repository, with slashes
 * @returns {string[]} one line for each circle, with an import for each of its arrows
 */
export function importCircles(imports) {
  /** Folder → entry → entry that it imports → an import that does. */
  const folders = new Map()
  for (const [from, to] of imports) {
    if (from === to) continue
    const parting = partingOf(from, to)
    if (!folders.has(parting.folder)) folders.set(parting.folder, new Map())
    const edges = folders.get(parting.folder)
    if (!edges.has(parting.from)) edges.set(parting.from, new Map())
    if (!edges.get(parting.from).has(parting.to)) edges.get(parting.from).set(parting.to, `${from} imports ${to}`)
  }
  const lines = []
  for (const [folder, edges] of folders) {
    const reported = new Set()
    const circles = [...edges.keys()]
      .map((entry) => shortestCircle(edges, entry))
      .filter((circle) => circle !== undefined)
    for (const circle of circles.sort((a, b) => a.length - b.length)) {
      if (circle.some((entry) => reported.has(entry))) continue
      for (const entry of circle) reported.add(entry)
      const arrows = circle.map((entry, index) => edges.get(entry).get(circle[(index + 1) % circle.length]))
      lines.push(
        `${folder}: ${[...circle, circle[0]].join(' → ')}\n${arrows.map((arrow) => `    ${arrow}`).join('\n')}`,
      )
    }
  }
  return lines
}
