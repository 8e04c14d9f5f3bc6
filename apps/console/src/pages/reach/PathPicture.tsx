import type { AccessPath } from '@sallyport/contract/resources/perms/access-person.ts'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { layOut, type PictureNode, type Stop } from './path-layout.ts'
import styles from './reach.module.css'

/** Units of the drawing, which are pixels unless the page is narrow. */
const WIDTH = 136
const HEIGHT = 30
const BETWEEN = 34
const APART = 12
const HEAD = 30

/**
 * The paths of some people to some targets: a column for each kind of name, lines from the left to the
 * right. Under the pointer a name shows the paths that lead over it. Keys and screen readers have the
 * table, which says the same.
 */
export function PathPicture({ paths }: { paths: readonly AccessPath[] }) {
  const [pointed, setPointed] = useState<PictureNode>()
  const { columns, nodes, edges, rows } = layOut(paths)
  const named = nodes.filter(({ isPassed }) => !isPassed)
  const width = columns.length * (WIDTH + BETWEEN) - BETWEEN
  const height = HEAD + rows * (HEIGHT + APART)
  const look = (over: ReadonlySet<number>) => {
    if (!pointed) return undefined
    return [...over].some((path) => pointed.paths.has(path)) ? styles.lit : styles.faint
  }
  return (
    <div className={styles.picture} aria-hidden="true">
      <svg viewBox={`-1 0 ${width + 2} ${height}`} width={width + 2} height={height} role="presentation">
        {columns.map((stop, column) => (
          <text key={stop} className={styles.head} x={column * (WIDTH + BETWEEN) + 2} y={16}>
            {stopTitle(stop)}
          </text>
        ))}
        {nodes
          .filter(({ isPassed }) => isPassed)
          .map((node) => (
            <path key={node.key} className={look(node.paths)} d={`M${left(node)} ${top(node) + HEIGHT / 2}h${WIDTH}`} />
          ))}
        {edges.map(({ key, from, to, paths: over }) => (
          <path key={key} className={look(over)} d={curve(from, to)} />
        ))}
        {named.map((node) => (
          <g
            key={node.key}
            className={look(node.paths)}
            transform={`translate(${left(node)} ${top(node)})`}
            onPointerEnter={() => setPointed(node)}
            onPointerLeave={() => setPointed(undefined)}
          >
            <title>{node.name}</title>
            <rect width={WIDTH} height={HEIGHT} rx={6} data-stop={node.stop} />
            <text x={10} y={HEIGHT / 2 + 4.5}>
              {shortened(node)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}

const left = ({ column }: PictureNode) => column * (WIDTH + BETWEEN)
const top = ({ row }: PictureNode) => HEAD + row * (HEIGHT + APART)

/** From the right side of a name to the left side of one in the next column. */
function curve(from: PictureNode, to: PictureNode): string {
  const [x, y] = [left(from) + WIDTH, top(from) + HEIGHT / 2]
  const [right, below] = [left(to), top(to) + HEIGHT / 2]
  const middle = (x + right) / 2
  return `M${x} ${y}C${middle} ${y} ${middle} ${below} ${right} ${below}`
}

/** Wide letters, as of Chinese, take two places. */
const PLACES = 17
const size = (text: string) => [...text].reduce((sum, letter) => sum + (letter > '\u2e80' ? 2 : 1), 0)

/** The end of a long name tells it from others, and but for nodes its beginning as well. */
function shortened({ name, stop }: PictureNode): string {
  if (size(name) <= PLACES) return name
  let [before, after] = ['', '']
  const letters = [...name]
  while (size(before) + size(after) < PLACES - 1) {
    if (stop !== 'node') before += letters.shift() ?? ''
    after = (letters.pop() ?? '') + after
  }
  return `${before}…${after}`
}

const stopTitle = (stop: Stop): string =>
  ({
    user: t('Person'),
    user_group: t('User group'),
    permission: t('Permission'),
    node: t('Node'),
    target: t('Target'),
    system_user: t('System user'),
  })[stop]
