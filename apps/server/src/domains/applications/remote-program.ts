import {
  APPLICATION_ATTRS,
  type ApplicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { type SealedInJson, sealedBytes } from '../../kernel/secrets/sealed-json.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import type { applicationsApplication } from './tables.ts'

/** The program of a remote app, and what it is filled in with. */
export interface RemoteProgram {
  type: ApplicationType
  /** Id of the asset that it runs on. */
  asset: string
  path: string
  /** Its destination, by the names of each type: `target`, `ip`, `port`, `name`, `cmdline`. */
  values: Readonly<Record<string, string>>
  username: string
  /** In clear, so it is kept in memory alone. */
  password: string
}

type Stored = Pick<typeof applicationsApplication.$inferSelect, 'type' | 'attrs'>

/** How fields of a type begin, without which they are called alike. */
const PREFIX = /^(?:chrome|mysql_workbench|vmware|custom)_/

/** Undefined where its machine is gone, or it has no program. */
export function remoteProgramOf({ type, attrs }: Stored, open: Opener): RemoteProgram | undefined {
  const { asset, path } = attrs
  if (typeof asset !== 'string' || typeof path !== 'string' || !asset || !path) return undefined
  const values: Record<string, string> = {}
  let password = ''
  for (const name of Object.keys(APPLICATION_ATTRS[type as ApplicationType])) {
    const value = attrs[name]
    if (!PREFIX.test(name) || value === undefined || value === null || value === '') continue
    if (typeof value === 'object') password = open(sealedBytes(value as SealedInJson))
    else values[name.replace(PREFIX, '')] = String(value)
  }
  const { username = '', ...rest } = values
  return { type: type as ApplicationType, asset, path, values: rest, username, password }
}
