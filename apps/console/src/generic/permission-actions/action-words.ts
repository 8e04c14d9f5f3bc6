import { t } from '../../lib/i18n.ts'
import { ACTION_TREE, type ActionNode, leaves, tickedLeaves } from './action-tree.ts'

/** Allowed actions, in the fewest words: a parent instead of all of its leaves. */
export function actionList(actions: readonly string[]): string[] {
  const ticked = new Set(tickedLeaves(actions))
  const walk = (node: ActionNode): string[] =>
    leaves(node).every((leaf) => ticked.has(leaf)) ? [t(node.title)] : (node.children ?? []).flatMap(walk)
  return walk(ACTION_TREE)
}

/** The same in one text. */
export function actionWords(actions: readonly string[]): string {
  return actionList(actions).join(', ') || t('None')
}
