import { findGrantedAssets, type ListedAsset, type WireNode } from '../../../domains/perms/index.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Person } from '../../session/person.ts'
import { firstColumns, plainText } from './plain-text.ts'
import { drawTable } from './table.ts'
import type { MenuTerminal } from './terminal-line.ts'

/**
 * Lines of the window that a page leaves for its header, its captions and the prompt
 * (contract/gateway.yaml menu.lists.page_size).
 */
const LINES_AROUND = 8
/**
 * However the page size is set: a screen holds no more, and nobody's list is to fill the memory.
 */
const MAX_PAGE = 1000

/** What a list is of. */
export interface AssetScope {
  node?: WireNode | undefined
  words: readonly string[]
}

/** The part of a list that the person looks at. */
export interface AssetPage {
  scope: AssetScope
  offset: number
  size: number
  total: number
  assets: ListedAsset[]
}

/** Words that must all be found, as everywhere in the product. */
export const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

export const sortOf = (kernel: Kernel): 'hostname' | 'ip' =>
  settingsOf(kernel).get('TERMINAL_ASSET_LIST_SORT_BY') === 'ip' ? 'ip' : 'hostname'

/** As many as fit into the window, or as the setting says. */
export function pageSize(setting: string, windowRows: number): number {
  const wanted = setting === 'all' ? MAX_PAGE : Number.parseInt(setting, 10) || windowRows - LINES_AROUND
  return Math.min(MAX_PAGE, Math.max(1, wanted))
}

/**
 * Reads the page that begins at this row; when the list has become shorter than that, its last one.
 */
export async function loadAssetPage(
  kernel: Kernel,
  person: Person,
  terminal: MenuTerminal,
  scope: AssetScope,
  offset = 0,
): Promise<AssetPage> {
  const size = pageSize(String(settingsOf(kernel).get('TERMINAL_ASSET_LIST_PAGE_SIZE')), terminal.size().rows)
  const { total, assets } = await findGrantedAssets(kernel.db, {
    userId: person.id,
    nodeId: scope.node?.id,
    words: scope.words,
    sort: sortOf(kernel),
    limit: size,
    offset,
  })
  if (!assets.length && total > 0)
    return loadAssetPage(kernel, person, terminal, scope, Math.floor((total - 1) / size) * size)
  return { scope, offset: assets.length ? offset : 0, size, total, assets }
}

/** Rows of assets, numbered from 1. */
export function drawAssets(assets: readonly ListedAsset[], language: Language, columns: number): string {
  const header = ['ID', 'Hostname', 'IP', 'Comment'].map((title) => translate(language, title))
  const rows = assets.map(({ hostname, ip, comment }, index) => [
    String(index + 1),
    plainText(hostname),
    plainText(ip),
    commentCell(comment),
  ])
  return drawTable(header, rows, columns)
}

/** Line breaks become |, blanks become commas (contract/gateway.yaml menu.lists.comment). */
const commentCell = (comment: string) =>
  plainText(
    comment
      .trim()
      .replace(/\s*[\r\n]\s*/g, '|')
      .replace(/\s+/g, ','),
  )

/** The page with its captions. */
export function drawAssetPage(
  { scope, offset, size, total, assets }: AssetPage,
  language: Language,
  columns: number,
): string {
  const caption = translate(
    language,
    'Page: {{page}}, count: {{count}}, total pages: {{pages}}, total count: {{total}}',
    {
      page: Math.ceil(offset / size) + 1,
      count: assets.length,
      pages: Math.ceil(offset / size) + Math.ceil((total - offset) / size),
      total,
    },
  )
  const about = [
    scope.node && translate(language, 'Node: {{node}}', { node: plainText(scope.node.value) }),
    scope.words.length > 0 && translate(language, 'Search: {{words}}', { words: plainText(scope.words.join(' ')) }),
  ].filter((line) => line !== undefined && line !== false)
  const keys = translate(language, 'Number: connect, n: next page, b: previous page, //text: narrow, /text: search')
  const captions = [caption, ...about, keys].map((line) => `${firstColumns(line, columns - 1)}\r\n`)
  return drawAssets(assets, language, columns) + captions.join('')
}
