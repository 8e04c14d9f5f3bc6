import { allPlatforms, arrivePlatforms, newPlatformIds } from '../../../domains/assets/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { arrivedIds } from '../../../kernel/arrivals/note-arrivals.ts'
import { bring, type ImportContext } from '../context.ts'
import { Names } from '../names.ts'
import type { SourceRow } from '../source/source.ts'
import { jsonObject, text, textOrNull } from '../values.ts'

const COLUMNS = ['name', 'base', 'charset', 'meta', 'comment', 'category', 'type']
const BASES = new Set(['Linux', 'Unix', 'MacOS', 'BSD', 'Windows', 'Other'])
const DEVICES = /cisco|huawei|h3c/
const lower = (name: string) => name.toLowerCase()

/** Platforms by their names: those that are here under the same name are used as they are. */
export async function importPlatforms(context: ImportContext): Promise<void> {
  const { source, report, ids, run } = context
  const notes = report.kind('Platforms')
  const here = await allPlatforms(run.db)
  const names = new Names(50, lower)
  for (const { id, name } of here) names.take('', name, String(id))
  const known = await arrivedIds(run, 'platform')
  const rdp = await readRdpSettings(context)
  for await (const batch of source.read({ table: 'assets.platform', columns: COLUMNS })) {
    // Platforms of databases and the like are no platforms here, but the types of applications.
    const wanted = batch.filter(({ category }) => !category || /^(?:host|device)$/.test(category))
    notes.read += wanted.length
    const fresh: ArrivingRow[] = []
    for (const row of wanted) {
      const name = text(row.name, 50).trim() || `Platform ${row.id}`
      const same = here.find((one) => lower(one.name) === lower(name))
      if (same && !known.has(row.id ?? '')) {
        notes.same++
        ids.set('platform', row.id ?? '', same.name)
      } else fresh.push(platformOf(row, name, known.get(row.id ?? '') ?? '', rdp))
    }
    const numbers = await newPlatformIds(run.db, fresh.length)
    const rows = fresh.map((row, at) => ({ ...row, id: row.id || String(numbers[at]) }))
    const outcomes = await bring(context, notes, arrivePlatforms, rows)
    for (const { key, values } of rows)
      if (!['taken', 'gone'].includes(outcomes.get(key) ?? '')) ids.set('platform', key, String(values.name))
  }
}

function platformOf(row: SourceRow, name: string, id: string, rdp: ReadonlyMap<string, Settings>): ArrivingRow {
  const device = DEVICES.exec(lower(`${row.name} ${row.type}`))?.[0]
  const base = BASES.has(row.base ?? '') ? row.base : baseOf(row.type ?? '', lower(name))
  const settings = rdpMeta({ ...jsonObject(row.meta), ...rdp.get(row.id ?? '') })
  const meta = base === 'Other' && device ? { device } : settings
  const charset = row.charset === 'gbk' ? 'gbk' : 'utf8'
  const values = { name, base, charset, meta: Object.keys(meta).length ? meta : null, comment: textOrNull(row.comment) }
  return { key: row.id ?? '', id, name, values }
}

function baseOf(type: string, name: string): string {
  if (type === 'linux') return 'Linux'
  if (type === 'windows') return 'Windows'
  if (type !== 'unix') return 'Other'
  return name.includes('macos') ? 'MacOS' : name.includes('bsd') ? 'BSD' : 'Unix'
}

type Settings = Readonly<Record<string, unknown>>

/** What remote desktops need of these settings, as it is stored here. */
function rdpMeta({ security, console }: Settings): Record<string, string> {
  return {
    ...(/^(?:rdp|nla|tls|any)$/.test(String(security)) ? { security: String(security) } : {}),
    ...(/^(?:true|false)$/.test(String(console)) ? { console: String(console) } : {}),
  }
}

/** Settings of RDP since version 3, by platform. */
async function readRdpSettings({ source }: ImportContext): Promise<Map<string, Settings>> {
  const settings = new Map<string, Settings>()
  const columns = ['name', 'setting', 'platform_id']
  for await (const batch of source.read({ table: 'assets.platformprotocol', columns }))
    for (const { name, setting, platform_id } of batch)
      if (name === 'rdp' && platform_id) settings.set(platform_id, jsonObject(setting))
  return settings
}
