import { existsSync } from 'node:fs'
import { type Check, NotChecked, type Outcome, ok, wrong } from '../../../kernel/doctor/check.ts'
import { inTime } from '../../../kernel/in-time.ts'
import { outsideStorages } from '../monitored.ts'
import { recordingStore, replayFolder } from '../recording/replay-file.ts'
import { probe } from '../recording/store/probe.ts'
import { storageFault, storageFaultWords } from './test-connective.ts'

const ANSWER_MS = 12_000

/** Writes, reads and deletes a probe, as sessions do with recordings. */
const own: Check = {
  name: 'store',
  title: 'Store of recordings',
  async run({ config }) {
    const store = recordingStore(config)
    // Trying it would make the folder, and those above it.
    if (store.ofThisNode && !existsSync(config.dataDirectory))
      throw new NotChecked(
        (say) => say('There is no folder {{folder}} yet.', { folder: config.dataDirectory }),
        (say) => say('Start Sallyport, or name the folder of the installation in SALLYPORT_DATA_DIR.'),
      )
    const place = config.recordings
      ? `s3://${config.recordings.bucket}/${config.recordings.prefix}`
      : replayFolder(config)
    const work = () =>
      store.ofThisNode ? probe({ put: store.put, open: store.open, remove: store.remove }) : store.check()
    return tried(place, '', work)
  },
}

/** Every other storage that administrators have set up. */
const others: Check = {
  name: 'storages',
  title: 'Storages of recordings and commands',
  async run(place) {
    const { db } = await place.database()
    const secrets = await place.secrets()
    const storages = (await outsideStorages({ db, secrets, config: place.config })).filter(
      ({ kind }) => kind !== 'recordings',
    )
    if (!storages.length) return ok((say) => say('None is set up besides the store of recordings.'))
    return Promise.all(storages.map(({ name, check }) => tried(name, name, check)))
  },
}

async function tried(place: string, subject: string, work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await inTime(work(), ANSWER_MS, () => new Error('no answer'))
  } catch (error) {
    const { code, syscall, path } = error as NodeJS.ErrnoException
    const reason = `${code}${path ? ` ${path}` : ''}`
    return wrong(
      // A folder's own faults are the system's.
      (say, language) =>
        syscall && path
          ? say('{{place}} cannot be used: {{reason}}', { place, reason })
          : storageFaultWords(storageFault(error), language),
      (say) =>
        say(
          'Mend the store or its settings: until then recordings wait on the disk of each node, and sessions end when that is full.',
        ),
      subject || undefined,
    )
  }
  return ok((say) => say('{{place}}: a probe was written, read and deleted.', { place }), subject || undefined)
}

export default [own, others]
