import { APPLICATION_TYPES } from '@sallyport/contract/resources/applications/application-types.ts'
import type { Call } from '../../../kernel/access/call.ts'
import { type Sheet, writeWorkbook } from '../../../kernel/files/spreadsheet.ts'
import type { PackedFile } from '../../../kernel/files/zip.ts'
import type { Language } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { exportedSheet } from '../../../kernel/resource/export.ts'
import { resourcesOf } from '../../../kernel/resource/registry.ts'

export interface BackupQuestion {
  org: { id: string; name: string }
  types: readonly string[]
  /** Language of titles. */
  language: Language
}

/**
 * The accounts of an organization with their secrets in clear, a workbook for each kind: assets in
 * one sheet, applications in one for each of their types. They are the exports of the lists with
 * secrets, so each secret leaves a row of who had it, here nobody: a plan.
 */
export async function accountWorkbooks(
  kernel: Kernel,
  { org, types, language }: BackupQuestion,
): Promise<PackedFile[]> {
  const files: PackedFile[] = []
  const readers = { asset: assetSheets, application: applicationSheets }
  for (const [type, read] of Object.entries(readers)) {
    if (!types.includes(type)) continue
    const sheets = await read((resource, query) => secretsSheet(kernel, { org, language }, resource, query))
    if (sheets.length) files.push({ name: `${type}.xlsx`, content: await writeWorkbook(sheets) })
  }
  return files
}

type Read = (resource: string, query: Record<string, string>) => Promise<Sheet['rows']>

const assetSheets = async (read: Read): Promise<Sheet[]> => [
  { name: 'asset', rows: await read('asset_account_secret', {}) },
]

async function applicationSheets(read: Read): Promise<Sheet[]> {
  const sheets: Sheet[] = []
  for (const type of Object.keys(APPLICATION_TYPES)) {
    const rows = await read('application_account_secret', { type })
    if (rows.length > 1) sheets.push({ name: type, rows })
  }
  return sheets
}

/** Rows of a list with secrets in clear, as its export has them; each leaves a row of its way out. */
export function secretsSheet(
  kernel: Kernel,
  { org, language }: Pick<BackupQuestion, 'org' | 'language'>,
  name: string,
  query: Record<string, string>,
): Promise<Sheet['rows']> {
  const resource = resourcesOf(kernel).get(name)
  const call: Call = {
    user: undefined,
    via: undefined,
    sessionId: undefined,
    org,
    orgRoles: [],
    language,
    timeZone: kernel.jobs.zone,
    remoteAddress: '',
  }
  return exportedSheet(resource, { kernel, db: kernel.db, call, parameters: {}, query: { ...query, format: 'xlsx' } })
}
