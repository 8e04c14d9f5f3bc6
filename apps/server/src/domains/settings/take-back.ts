import { ALL_SETTINGS, type SettingName, type Settings } from '@sallyport/contract/settings/index.ts'
import { getTableName, sql } from 'drizzle-orm'
import { isSuperAdmin } from '../../kernel/access/call.ts'
import { refuseLimited } from '../../kernel/access/limited-key.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, forbidden } from '../../kernel/errors/app-error.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { inTransaction } from '../../kernel/resource/transaction.ts'
import { isSame, type NetRow } from '../../kernel/undo/net-rows.ts'
import { currentRows, type KeptTable } from '../../kernel/undo/row-images.ts'
import { checkedSettings, recordSettings } from './checked.ts'
import { isSecret } from './reading.ts'
import { recipientOf } from './secret-recipients.ts'
import { settingsOf } from './store.ts'
import { settingsSetting } from './tables.ts'

/** The table of settings, of which rows are kept for undo. */
export const SETTINGS_TABLE = getTableName(settingsSetting)

/** The outcome for settings. */
export interface SettingsTakenBack {
  /** Those that have changed since. */
  conflicts: SettingName[]
  /** Secrets that stay as they are. */
  stays: SettingName[]
}

interface Plan extends SettingsTakenBack {
  /** Rows that are as they were before again. */
  back: NetRow[]
}

const nameOf = ({ key }: NetRow) => String(key.name) as SettingName
const columnOf = (row: NetRow) => (isSecret(nameOf(row)) ? 'value_sealed' : 'value')

/**
 * Takes changes of settings back within the caller's transaction, by the rules of saving them, and with
 * the same rows of the operate log.
 * @param rows what the change did to rows of `SETTINGS_TABLE`
 * @param changes its ids
 * @param keep settings that stay as they are now
 * @throws AppError 403 for who may not save settings; 409 where a rule refuses the former values
 */
export async function takeSettingsBack(
  context: ReadContext,
  table: KeptTable,
  rows: readonly NetRow[],
  changes: readonly string[],
  keep: ReadonlySet<string>,
): Promise<SettingsTakenBack> {
  if (!isSuperAdmin(context.call)) throw forbidden()
  refuseLimited(context.call)
  return inTransaction(context, async ({ kernel, db, call }, afterCommit) => {
    const settings = settingsOf(kernel)
    const { back, ...outcome } = await planOf(db, table, rows, changes, keep)
    const before = settings.all()
    const wanted = await formerValues(context, db, back)
    const { values, errors } = checkedSettings(settings, 'all', wanted, call)
    const [[name, texts] = []] = Object.entries(errors)
    if (name)
      throw new AppError(409, 'conflict', '{{name}}: {{reason}}', { values: { name, reason: [texts].flat()[0] } })
    const unset = back.filter((row) => !row.before).map(nameOf)
    const set = Object.fromEntries(Object.entries(values).filter(([one]) => !unset.includes(one as SettingName)))
    const changed = await settings.changeIn(db, set)
    await settings.unsetIn(db, unset)
    const all = [...changed, ...unset]
    if (all.length) await recordSettings(kernel, db, call, all, before, { ...wanted, ...values })
    afterCommit.push(() => settings.announce(all))
    return outcome
  })
}

async function planOf(
  db: Database,
  table: KeptTable,
  rows: readonly NetRow[],
  changes: readonly string[],
  keep: ReadonlySet<string>,
): Promise<Plan> {
  // A setting may have gone with the version that had it.
  const known = rows.filter((row) => Object.hasOwn(ALL_SETTINGS, nameOf(row)))
  const now = await currentRows(
    db,
    table,
    known.map(({ key }) => key),
  )
  const isChanged = (row: NetRow, at: number) => {
    const column = columnOf(row)
    return !isSame(now.get(at)?.[column], row.after?.[column])
  }
  const since = new Set(known.filter(isChanged))
  const plain = known.filter((row) => !isSecret(nameOf(row)))
  const returning = new Set(plain.filter((row) => !keep.has(nameOf(row))).map(nameOf))
  const stays: SettingName[] = []
  const later = await changedLater(
    db,
    known.filter((row) => isSecret(nameOf(row))).flatMap((row) => recipientOf(nameOf(row))),
    changes,
  )
  const secrets = known.filter((row) => {
    const name = nameOf(row)
    if (!isSecret(name) || keep.has(name)) return false
    // It must not come to another place than it was for.
    const isElsewhere = recipientOf(name).some(
      (one) => later.has(one) || (plain.some((other) => nameOf(other) === one) && !returning.has(one)),
    )
    if (!since.has(row) && !isElsewhere) return true
    stays.push(name)
    return false
  })
  return {
    back: [...plain.filter((row) => returning.has(nameOf(row))), ...secrets],
    conflicts: plain.filter((row) => since.has(row)).map(nameOf),
    stays,
  }
}

/** Which of these settings were changed after those changes. What is kept of them goes oldest first. */
async function changedLater(
  db: Database,
  names: readonly SettingName[],
  changes: readonly string[],
): Promise<ReadonlySet<SettingName>> {
  if (!names.length) return new Set()
  const { rows } = await db.execute<{ name: SettingName }>(sql`
    SELECT DISTINCT key ->> 'name' AS name FROM kernel_undo_row
    WHERE table_name = ${SETTINGS_TABLE} AND key ->> 'name' = ANY(${sql.param([...new Set(names)])}::text[])
      AND id > (SELECT max(id) FROM kernel_undo_row WHERE change = ANY(${sql.param([...changes])}::uuid[]))`)
  return new Set(rows.map(({ name }) => name))
}

/** The values before the change. A secret is opened, to be checked and sealed once more. */
async function formerValues(
  { kernel }: ReadContext,
  db: Database,
  rows: readonly NetRow[],
): Promise<Partial<Settings>> {
  const sealed = rows.filter((row) => isSecret(nameOf(row)) && row.before)
  const { rows: opened } = await db.execute<{ name: string; bytes: Buffer }>(sql`
    SELECT one ->> 'name' AS name, decode(one #>> '{value_sealed,$sealed}', 'base64') AS bytes
    FROM jsonb_array_elements(${JSON.stringify(sealed.map((row) => ({ name: nameOf(row), ...row.before })))}::jsonb) one`)
  const secrets = new Map(opened.map(({ name, bytes }) => [name, bytes]))
  const base = settingsOf(kernel).base()
  return Object.fromEntries(
    rows.map((row) => {
      const name = nameOf(row)
      if (!row.before) return [name, base[name]]
      if (!isSecret(name)) return [name, row.before.value]
      const bytes = secrets.get(name)
      return [name, bytes ? JSON.parse(kernel.secrets.open('setting', name)(bytes)) : '']
    }),
  )
}
