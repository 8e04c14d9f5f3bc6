import type { WireNode } from '../../../domains/perms/index.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import { firstColumns, plainText } from '../../prompt/plain-text.ts'

/** Nodes that are shown and can be chosen; a longer tree ends with a note about the rest. */
export const MAX_NODES = 2000

/**
 * Indented lines `number.name(assets below)` (docs/rules/gateway.md#node_tree). Parents come
 * before their children.
 */
export function drawNodes(nodes: readonly WireNode[], language: Language, columns: number): string {
  const lines = nodes.slice(0, MAX_NODES).map(({ key, value, assets_amount }, index) => {
    const depth = key.split(':').length - 1
    return `${'  '.repeat(depth)}${index + 1}.${plainText(value)}(${assets_amount})`
  })
  const hidden = nodes.length - lines.length
  if (hidden > 0) lines.push(translate(language, '{{count}} more nodes are not shown', { count: hidden }))
  lines.push(translate(language, 'Enter g and the number of a node to list its assets, such as: g1'))
  return lines.map((line) => `${firstColumns(line, columns - 1)}\r\n`).join('')
}
