import { t } from '../../lib/i18n.ts'
import type { Column } from '../grid/result-view.ts'

const column = (name: string, isNumber = false): Column => ({ name, isNumber })

/** The types of keys, by the server's words for them, and the columns of their content; a string is one text. */
export const KINDS: Readonly<Record<string, () => readonly Column[]>> = {
  string: () => [],
  hash: () => [column(t('Field')), column(t('Value'))],
  list: () => [column('#', true), column(t('Value'))],
  set: () => [column(t('Value'))],
  zset: () => [column('#', true), column(t('Value')), column(t('Score'), true)],
  stream: () => [column('ID'), column(t('Fields'))],
}
