import {
  MOVE_ENCRYPTION,
  type MoveEncryption,
  type MoveEngine,
  type MoveTask,
} from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { formErrors } from '../../generic/view/form-errors.ts'
import { ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

/** As it is entered. Nothing of it outlives the page: the server keeps no secret, and neither does the browser. */
export interface MoveSource {
  engine: MoveEngine
  host: string
  port: string
  database: string
  username: string
  password: string
  encryption: MoveEncryption
  secretKey: string
  earlierKey: string
  historyFrom: string
  withAddresses: boolean
  withJobs: boolean
}

export const NO_SOURCE: MoveSource = {
  ...{ engine: 'mysql', host: '', port: '', database: 'jumpserver', username: '', password: '' },
  ...{ encryption: 'none', secretKey: '', earlierKey: '', historyFrom: '', withAddresses: false, withJobs: false },
}

/** The body of the call that begins a task. */
export function moveBody(task: MoveTask, source: MoveSource): Record<string, unknown> {
  const { port, secretKey, earlierKey, historyFrom, withAddresses, withJobs, ...rest } = source
  return {
    ...{ ...rest, task, port: port ? Number(port) : null },
    ...{ secret_keys: [secretKey, earlierKey].filter(Boolean), history_from: historyFrom },
    ...{ with_addresses: withAddresses, with_jobs: withJobs },
  }
}

export function encryptionWords(encryption: MoveEncryption): string {
  switch (encryption) {
    case 'none':
      return t('Not encrypted')
    case 'unchecked':
      return t('Encrypted, any certificate')
    case 'checked':
      return t('Encrypted, certificate checked')
  }
}
export const ENCRYPTIONS = MOVE_ENCRYPTION

/** Faults by the name of the field on the wire; '' for those of no field. */
export type Faults = Readonly<Record<string, string>>

const FIELDS = ['host', 'port', 'database', 'username', 'password', 'secret_keys', 'history_from']

export function faultsOf(error: unknown): Faults {
  const refused = error instanceof ApiError ? error.fields : undefined
  if (!refused) return { '': errorText(error) }
  const { fields, others } = formErrors(
    refused,
    FIELDS.map((name) => ({ name })),
  )
  const named = fields.map(({ path, text }) => [String(path[0]), text])
  return Object.fromEntries(others.length ? [...named, ['', others.join('; ')]] : named)
}
