import type { WireNode } from '../../../domains/perms/index.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { firstColumns, plainText } from '../../prompt/plain-text.ts'
import { drawTable } from '../../prompt/table.ts'
import type { Person } from '../../session/person.ts'
import type { GrantedTarget, ListName } from '../../targets/granted-list.ts'
import { grantedList } from '../../targets/session-families.ts'
import type { MenuTerminal } from './terminal-line.ts'

/**
 * Lines of the window that a page leaves for header, captions and prompt
 * (docs/rules/gateway.md#menu_lists).
 */
const LINES_AROUND = 8
/** Upper bound of the page size, whatever the setting says. */
const MAX_PAGE = 1000

/** Scope of a list. */
export interface TargetScope {
  list: ListName
  node?: WireNode | undefined
  words: readonly string[]
}

/** The part of a list that is on screen. */
export interface TargetPage {
  scope: TargetScope
  offset: number
  size: number
  total: number
  columns: readonly string[]
  targets: GrantedTarget[]
}

/** Words that must all be found, as everywhere in the product. */
export const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** As many rows as fit into the window, or as the setting says. */
export function pageSize(setting: string, windowRows: number): number {
  const wanted = setting === 'all' ? MAX_PAGE : Number.parseInt(setting, 10) || windowRows - LINES_AROUND
  return Math.min(MAX_PAGE, Math.max(1, wanted))
}

/**
 * Reads the page that begins at this row or, if the list has become shorter, its last page. Empty
 * if no family of targets has such a list.
 */
export async function loadTargetPage(
  kernel: Kernel,
  person: Person,
  terminal: MenuTerminal,
  scope: TargetScope,
  offset = 0,
): Promise<TargetPage> {
  const size = pageSize(String(settingsOf(kernel).get('TERMINAL_ASSET_LIST_PAGE_SIZE')), terminal.size().rows)
  const list = grantedList(scope.list)
  if (!list) return { scope, offset: 0, size, total: 0, columns: [], targets: [] }
  const { total, targets } = await list.find(kernel, {
    userId: person.id,
    nodeId: scope.node?.id,
    words: scope.words,
    limit: size,
    offset,
  })
  if (!targets.length && total > 0)
    return loadTargetPage(kernel, person, terminal, scope, Math.floor((total - 1) / size) * size)
  return { scope, offset: targets.length ? offset : 0, size, total, columns: list.columns, targets }
}

/** Rows of targets, numbered from 1; `width` of the window. */
export function drawTargets(
  { columns, targets }: Pick<TargetPage, 'columns' | 'targets'>,
  language: Language,
  width: number,
): string {
  const header = ['ID', ...columns, 'Comment'].map((title) => translate(language, title))
  const rows = targets.map(({ cells, comment }, index) => [
    String(index + 1),
    ...cells.map(plainText),
    commentCell(comment),
  ])
  return drawTable(header, rows, width)
}

/** Line breaks become |, blanks become commas (docs/rules/gateway.md#menu_lists). */
const commentCell = (comment: string) =>
  plainText(
    comment
      .trim()
      .replace(/\s*[\r\n]\s*/g, '|')
      .replace(/\s+/g, ','),
  )

/** The page with its captions. */
export function drawTargetPage(page: TargetPage, language: Language, width: number): string {
  const { scope, offset, size, total, targets } = page
  const caption = translate(
    language,
    'Page: {{page}}, count: {{count}}, total pages: {{pages}}, total count: {{total}}',
    {
      page: Math.ceil(offset / size) + 1,
      count: targets.length,
      pages: Math.ceil(offset / size) + Math.ceil((total - offset) / size),
      total,
    },
  )
  const about = [
    scope.node && translate(language, 'Node: {{node}}', { node: plainText(scope.node.value) }),
    scope.words.length > 0 && translate(language, 'Search: {{words}}', { words: plainText(scope.words.join(' ')) }),
  ].filter((line) => line !== undefined && line !== false)
  const keys = translate(language, 'Number: connect, n: next page, b: previous page, //text: narrow, /text: search')
  const captions = [caption, ...about, keys].map((line) => `${firstColumns(line, width - 1)}\r\n`)
  return drawTargets(page, language, width) + captions.join('')
}
