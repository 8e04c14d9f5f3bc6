import { arriveSettings, readArrivingSettings, settingsHere } from '../../../domains/settings/arriving/index.ts'
import { count, type ImportContext } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import { openSecret } from '../secrets/index.ts'
import { bool, text } from '../values.ts'
import { HARMLESS, WITH_ADDRESSES, whyBehind } from './groups.ts'

const LONGEST = 200
const REFUSED = 'Its value is not allowed here'

/**
 * Settings that somebody saved there. Those without addresses and secrets come by themselves where
 * nobody has set them here; the others are asked for, or stay behind.
 */
export async function importSettings(context: ImportContext): Promise<void> {
  const notes = context.report.kind('Settings')
  const theirs = await readTheirs(context, notes)
  await bringHarmless(context, notes, theirs)
  for (const group of WITH_ADDRESSES) await bringGroup(context, notes, theirs, group)
  const known = new Set([...HARMLESS, ...WITH_ADDRESSES.flat()])
  for (const name of theirs.keys()) if (!known.has(name)) notes.staysBehind(name, whyBehind(name))
}

/** How many days something is kept. */
const KEPT_FOR = /_KEEP_(?:DAYS|DURATION)$/

type Theirs = ReadonlyMap<string, unknown>

async function readTheirs({ source, keys }: ImportContext, notes: KindNotes): Promise<Theirs> {
  const theirs = new Map<string, unknown>()
  const columns = ['name', 'value', 'encrypted', 'enabled']
  for await (const batch of source.read({ table: 'settings.setting', columns })) {
    notes.read += batch.length
    for (const row of batch) {
      const name = text(row.name, 128)
      const stored = bool(row.encrypted) ? openSecret(row.value, keys) : { kind: 'plain', text: row.value }
      if (stored.kind === 'not-opened') {
        notes.staysBehind(name, 'Does not open with this key')
        continue
      }
      try {
        theirs.set(name, JSON.parse(stored.text ?? 'null'))
      } catch {
        notes.staysBehind(name, REFUSED)
      }
    }
  }
  return theirs
}

const valuesOf = (theirs: Theirs, names: Iterable<string>): Record<string, unknown> =>
  Object.fromEntries([...names].flatMap((name) => (theirs.has(name) ? [[name, theirs.get(name)]] : [])))

async function bringHarmless(context: ImportContext, notes: KindNotes, theirs: Theirs): Promise<void> {
  const { run, secrets, config } = context
  const kernel = { db: run.db, secrets, config }
  const { values, refused, inForce } = await readArrivingSettings(kernel, valuesOf(theirs, HARMLESS))
  for (const name of refused) notes.staysBehind(name, REFUSED)
  for (const [name, value] of Object.entries(values))
    if (KEPT_FOR.test(name) && Number(value) < Number(inForce[name])) {
      notes.staysBehind(name, 'Is shorter than here: rows of here would be removed')
      delete values[name]
    }
  const fixed = new Set(Object.keys(config.settings))
  const outcomes = await arriveSettings(
    run,
    Object.fromEntries(Object.entries(values).filter(([name]) => !fixed.has(name))),
  )
  for (const [name, value] of Object.entries(values)) {
    const outcome = fixed.has(name) ? 'there' : outcomes.get(name)
    if (outcome === 'there') notes.staysBehind(name, 'Is set here already')
    else count(notes, name, outcome)
    if ((outcome === 'added' || outcome === 'updated') && inForce[name] !== value)
      notes.changes(name, 'Is {{value}} from now on, as there', { value: text(String(value), LONGEST) })
  }
}

/** A group comes whole and once: half of it would send a secret to another place than it is for. */
async function bringGroup(
  context: ImportContext,
  notes: KindNotes,
  theirs: Theirs,
  names: (typeof WITH_ADDRESSES)[number],
): Promise<void> {
  const { run, secrets, config, settings } = context
  const wanted = valuesOf(theirs, names)
  const given = Object.keys(wanted)
  if (!given.length) return
  const kernel = { db: run.db, secrets, config }
  const here = await settingsHere(kernel)
  const behind = (why: string) => {
    for (const name of given) notes.staysBehind(name, why)
  }
  if (names.some((name) => here.has(name))) return behind('Something of its group is set here already')
  if (!settings.withAddresses) return behind('Has addresses or secrets: ask for it by --settings-with-addresses')
  const { values, refused } = await readArrivingSettings(kernel, wanted)
  if (refused.length) return behind(REFUSED)
  const outcomes = await arriveSettings(run, values)
  for (const name of given) {
    count(notes, name, outcomes.get(name) ?? 'same')
    notes.changes(name, 'Comes with its group: look at it, and try it')
  }
}
