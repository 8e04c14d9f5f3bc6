import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import type { Call } from '../../kernel/access/call.ts'
import { keepCurrent } from '../../kernel/events/keep-current.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { labelledChanges } from '../../kernel/resource/operate-log/changes.ts'
import { isCommunityLicense, makeCommunityLicense, readCommunityLicense } from './community-license.ts'
import { endOf, type License, publicKeyOf, readLicense } from './license-document.ts'
import { PUBLIC_KEY } from './license-keys.ts'
import { xpackLicense } from './tables.ts'

/** Told on every node after a license was installed. */
const CHANGED = 'license.changed'

/** The facts of a license in the operate log; the document itself is no matter for readers. */
const LOGGED: Fields = {
  corporation: { type: 'string', label: 'Corporation' },
  edition: { type: 'string', label: 'Edition' },
  date_expired: { type: 'string', label: 'Valid until' },
  asset_count: { type: 'integer', label: 'Assets at most' },
  subscription_id: { type: 'string', label: 'Subscription' },
}

/** The license in force on this node: read without waiting (A4.06: valid, expired, none). */
export interface LicenseStore {
  /** The installed license, also when it has expired. */
  current(): License | undefined
  isValid(): boolean
  /**
   * Replaces the license on all nodes. False, and nothing changes, when the document is not a
   * license signed for this service or has expired.
   */
  install(document: string, call: Call): Promise<boolean>
}

const stores = new WeakMap<Kernel, LicenseStore>()

/** The store of this server; opened by `registerXpack`. */
export function licenseOf(kernel: Kernel): LicenseStore {
  const store = stores.get(kernel)
  if (!store) throw new Error('the license is not opened yet')
  return store
}

/**
 * Reads the license in force and keeps it current: the imported one, else that of the environment,
 * else the installation's own for Community, which is made here where there is none at all.
 */
export async function openLicense(kernel: Kernel): Promise<LicenseStore> {
  const { db, config, events, app } = kernel
  let license: License | undefined

  const load = async () => {
    const found = await readLicenseInForce(kernel)
    license = found.license
    if (found.isForeign) app.log.warn('the installed license is not signed with this service’s key')
  }
  // The first of several nodes that start at once stores its own, and the others take that.
  if (config.communityLicense && !config.license && (await db.$count(xpackLicense)) === 0)
    await db.insert(xpackLicense).values({ document: makeCommunityLicense() }).onConflictDoNothing()
  const reload = await keepCurrent(kernel, CHANGED, load, 'the license could not be read')

  const store: LicenseStore = {
    current: () => license,
    isValid: () => license !== undefined && endOf(license) > Date.now(),
    async install(document, call) {
      const key = publicKey(kernel)
      const wanted = key && readLicense(document, key)
      if (!wanted || endOf(wanted) <= Date.now()) return false
      const values = { document: document.trim() }
      await db.transaction(async (inside) => {
        await inside.insert(xpackLicense).values(values).onConflictDoUpdate({ target: xpackLicense.id, set: values })
        const resource = `${wanted.corporation} ${wanted.date_expired}`
        await kernel.audit.record(inside, call, [
          {
            action: 'update',
            resourceType: 'License',
            resource,
            orgId: ROOT_ORG_ID,
            changes: labelledChanges(LOGGED, { ...license }, { ...wanted }),
          },
        ])
      })
      await reload()
      await events.publish(CHANGED, {})
      return true
    },
  }
  stores.set(kernel, store)
  return store
}

/**
 * The license in force, and whether one was given that is not signed with this service's key.
 */
export async function readLicenseInForce(
  kernel: Pick<Kernel, 'db' | 'config'>,
): Promise<{ license: License | undefined; isForeign: boolean }> {
  const { db, config } = kernel
  const [stored] = await db.select().from(xpackLicense)
  const isOwn = stored && isCommunityLicense(stored.document)
  const given = isOwn ? config.license : (stored?.document ?? config.license)
  const key = publicKey(kernel)
  const license = given && key ? readLicense(given, key) : undefined
  // One that was given goes before it for good: when it ends, nothing is open again by itself.
  if (isOwn && !given && config.communityLicense)
    return { license: readCommunityLicense(stored.document), isForeign: false }
  return { license, isForeign: Boolean(given && !license) }
}

/**
 * From the environment, else from the data directory; read each time, since the file may be made
 * while the server runs.
 */
function publicKey({ config }: Pick<Kernel, 'config'>): KeyObject | undefined {
  if (config.licensePublicKey) return publicKeyOf(config.licensePublicKey)
  try {
    return publicKeyOf(readFileSync(join(config.dataDirectory, PUBLIC_KEY), 'utf8'))
  } catch {
    return undefined
  }
}
