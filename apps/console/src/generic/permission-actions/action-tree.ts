/**
 * The tree of permission actions and what ticking one means
 * (docs/rules/lists-and-forms.md#widgets).
 */
import { msg } from '../../lib/i18n.ts'

export interface ActionNode {
  key: string
  /** Marked with `msg`. */
  title: string
  children?: readonly ActionNode[]
}

export const ACTION_TREE: ActionNode = {
  key: 'all',
  title: msg('All'),
  children: [
    { key: 'connect', title: msg('Connect') },
    {
      key: 'updownload',
      title: msg('Upload download'),
      children: [
        { key: 'upload_file', title: msg('Upload file') },
        { key: 'download_file', title: msg('Download file') },
      ],
    },
    {
      key: 'clipboard_copy_paste',
      title: msg('Clipboard copy paste'),
      children: [
        { key: 'clipboard_copy', title: msg('Clipboard copy') },
        { key: 'clipboard_paste', title: msg('Clipboard paste') },
      ],
    },
  ],
}

/** The leaves below a node, or the node itself. */
export function leaves(node: ActionNode): string[] {
  return node.children ? node.children.flatMap(leaves) : [node.key]
}

/** The tree trimmed to what the metadata offers; undefined when nothing is left. */
export function offeredTree(node: ActionNode, offered: readonly string[]): ActionNode | undefined {
  if (!node.children) return offered.includes(node.key) ? node : undefined
  const children = node.children.flatMap((child) => offeredTree(child, offered) ?? [])
  return children.length > 0 ? { ...node, children } : undefined
}

/** Stored names (parents among them) as leaves. */
export function tickedLeaves(value: readonly string[]): string[] {
  const ticked = new Set<string>()
  const walk = (node: ActionNode, inherited: boolean) => {
    const on = inherited || value.includes(node.key)
    if (!node.children) {
      if (on) ticked.add(node.key)
    } else for (const child of node.children) walk(child, on)
  }
  walk(ACTION_TREE, false)
  return [...ticked]
}

/** The value as sent: leaves only; anything ticked brings `connect` with it. */
export function actionsToSend(ticked: readonly string[]): string[] {
  const all = leaves(ACTION_TREE)
  const chosen = all.filter((leaf) => ticked.includes(leaf))
  return chosen.length > 0 && !chosen.includes('connect') ? ['connect', ...chosen] : chosen
}
