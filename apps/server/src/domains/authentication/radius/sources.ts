/** The RADIUS servers whose people sign in here: first that of the settings, then the further ones in their order. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import type { KeptSecret } from '../people-sources/kept-secret.ts'
import { rowInForce, rowsInOrder } from '../people-sources/rows.ts'
import type { ReadSettings } from '../people-sources/sources.ts'
import type { RadiusServer } from './ask-radius.ts'
import { authenticationRadiusServer as table } from './tables.ts'

export interface RadiusSource {
  /** The id of a further server; null for that of the settings. */
  id: string | null
  name: string
  /** Whether only people who are here may sign in by it. */
  existingOnly: boolean
  /** How names of its people end; empty where they are any. */
  nameSuffix: string
  /** How it is asked; opens the secret. */
  server(): RadiusServer
}

export const RADIUS_SECRET: KeptSecret = {
  table,
  field: 'secret',
  what: 'secret of RADIUS server',
  addresses: ['host', 'port'],
}

/** The server of the settings. */
export const firstServer = (settings: ReadSettings): RadiusServer => ({
  host: settings.get('RADIUS_SERVER'),
  port: settings.get('RADIUS_PORT'),
  secret: settings.get('RADIUS_SECRET') ?? '',
})

/** Those that are on, in the order in which they are asked. */
export async function radiusInForce(kernel: Kernel): Promise<RadiusSource[]> {
  const settings = settingsOf(kernel)
  const first = {
    id: null,
    name: 'RADIUS',
    existingOnly: false,
    nameSuffix: '',
    server: () => firstServer(settings),
  }
  return [...(settings.get('AUTH_RADIUS') ? [first] : []), ...(await furtherRadius(kernel))]
}

/** Those besides the server of the settings that are on, in their order. */
export const furtherRadius = async (place: Pick<Kernel, 'db' | 'secrets'>): Promise<RadiusSource[]> =>
  (await rowsInOrder(place.db, table)).map((row) => sourceOf(place, row))

/** A further server by its id; undefined for one that is off or gone. */
export async function radiusById(kernel: Kernel, id: string): Promise<RadiusSource | undefined> {
  const row = await rowInForce(kernel.db, table, id)
  return row && sourceOf(kernel, row)
}

function sourceOf({ secrets }: Pick<Kernel, 'secrets'>, row: typeof table.$inferSelect): RadiusSource {
  const { id, name, existing_only, name_suffix, host, port, secret_sealed: sealed } = row
  const open = secrets.open('sign_in', `${RADIUS_SECRET.what} ${id}`)
  return {
    id,
    name,
    existingOnly: existing_only,
    nameSuffix: name_suffix,
    server: () => ({ host, port, secret: sealed ? open(sealed) : '' }),
  }
}

/**
 * The servers that may be asked about a name of which it is not known whose it is: those whose suffix it
 * has and, where there are none, those that take any name. Nobody's password goes to more of them.
 */
export function serversFor<T extends Pick<RadiusSource, 'nameSuffix'>>(sources: readonly T[], username: string): T[] {
  const name = username.toLowerCase()
  const named = sources.filter(({ nameSuffix }) => nameSuffix && name.endsWith(nameSuffix.toLowerCase()))
  return named.length ? named : sources.filter(({ nameSuffix }) => !nameSuffix)
}
