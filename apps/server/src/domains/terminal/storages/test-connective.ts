import type { PgTable } from 'drizzle-orm/pg-core'
import type { FastifyRequest } from 'fastify'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import { inTime } from '../../../kernel/in-time.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { StoredRow } from '../../../kernel/resource/mount.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { Slots } from '../../../kernel/slots.ts'
import { ClusterError } from '../commands/elastic/cluster.ts'
import { commandIndexOf } from '../commands/elastic/command-indices.ts'
import { bucketOf, isOutside } from '../recording/storages/outside-stores.ts'
import { StoreRefusal } from '../recording/store/recording-store.ts'
import type { terminalCommandStorage, terminalReplayStorage } from '../tables.ts'

const TEST_MS = 15_000
const atOnce = new Slots(4)

/**
 * GET replay-storages/{id}/test-connective/: `{is_valid, msg}`, always 200. A storage outside is
 * listed, written to, read back and deleted from.
 */
export function registerReplayStorageTest(
  kernel: Kernel,
  storages: MountedResource<typeof terminalReplayStorage>,
): void {
  registerTest(kernel, storages, (row) => (isOutside(row) ? () => bucketOf(kernel, row).check() : undefined))
}

/** The same for commands: a cluster is pinged and asked how many commands it has. */
export function registerCommandStorageTest(
  kernel: Kernel,
  storages: MountedResource<typeof terminalCommandStorage>,
): void {
  registerTest(kernel, storages, (row) => {
    const index = commandIndexOf(kernel, row)
    return index && (() => index.check())
  })
}

/** `trial`: what is tried, if there is anything to try. */
function registerTest<T extends PgTable>(
  kernel: Kernel,
  storages: MountedResource<T>,
  trial: (row: StoredRow<T>) => (() => Promise<unknown>) | undefined,
): void {
  const { path, label } = storages.definition
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${path}:id/test-connective/`,
    config: { access: ['super_admin'], rootOrg: true, summary: `${label}: whether it can be used` },
    handler: async (request) => {
      const { id } = request.params
      const work = trial(await getStored(storages, id, contextOf(kernel, request)))
      const wrong = work ? await tryOut(work, id, request) : ''
      return { is_valid: !wrong, msg: wrong || translate(request.call.language, 'The storage can be used') }
    },
  })
}

/** The fault, in words; empty when there is none. */
async function tryOut(work: () => Promise<unknown>, id: string, { call, log }: FastifyRequest): Promise<string> {
  try {
    await atOnce.use(() => inTime(work(), TEST_MS, () => new Error('no answer')))
    return ''
  } catch (error) {
    log.info({ err: error, storage: id }, 'a storage failed its test')
    return storageFaultWords(storageFault(error), call.language)
  }
}

/** The fault of a storage, to be kept and reported later. */
export interface StorageFault {
  fault: string
  /** What it answered. */
  answer: string
  isCluster: boolean
}

export function storageFault(error: unknown): StorageFault {
  return {
    fault: faultOf(error),
    answer: error instanceof Error ? error.message.slice(0, 500) : '',
    isCluster: error instanceof ClusterError,
  }
}

function faultOf(error: unknown): string {
  if (error instanceof StoreRefusal) return error.fault
  if (!(error instanceof ClusterError)) return 'away'
  // To a sender of commands both are the same: not now.
  return error.fault === 'away' && error.status !== undefined ? 'failing' : error.fault
}

/** The same in words. */
export function storageFaultWords({ fault, answer, isCluster }: StorageFault, language: Language): string {
  const values = { answer }
  switch (fault) {
    case 'no_bucket':
      return translate(language, 'There is no such bucket ({{answer}})', values)
    case 'denied':
      return isCluster
        ? translate(language, 'This name and password may not read there ({{answer}})', values)
        : translate(language, 'These keys may not list, read, write and delete there ({{answer}})', values)
    case 'clock':
      return translate(language, 'The clocks of this server and of the storage differ too much ({{answer}})', values)
    case 'foreign':
      return translate(language, 'What answers there is no Elasticsearch ({{answer}})', values)
    case 'failing':
      return translate(language, 'The storage answers with an error of its own ({{answer}})', values)
    case 'partial':
      return translate(language, 'A part of the storage cannot be reached ({{answer}})', values)
    case 'unusable':
    case 'refused':
      return translate(language, 'The storage refuses what it is asked for ({{answer}})', values)
    default:
      return translate(language, 'The storage does not answer')
  }
}
