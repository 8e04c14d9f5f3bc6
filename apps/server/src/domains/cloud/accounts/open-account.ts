import { CLOUD_ATTRS, CLOUD_PROVIDERS } from '@sallyport/contract/resources/cloud/cloud-providers.ts'
import { and, eq, ne } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type SealedInJson, sealedBytes } from '../../../kernel/secrets/sealed-json.ts'
import type { Cloud } from '../providers/cloud.ts'
import { CloudError } from '../providers/cloud-error.ts'
import { CLOUDS } from '../providers/clouds.ts'
import { CloudTransport, type TransportOptions } from '../providers/transport.ts'
import { cloudAccount } from '../tables.ts'

export type StoredAccount = typeof cloudAccount.$inferSelect

/**
 * Works with an account's cloud, and keeps whether its keys worked.
 * @throws CloudError
 */
export async function withCloud<T>(
  kernel: Pick<Kernel, 'db' | 'secrets' | 'config'>,
  account: StoredAccount,
  options: TransportOptions,
  work: (cloud: Cloud) => Promise<T>,
): Promise<T> {
  const { config, secrets } = kernel
  const { provider, attrs, name } = account
  const open = CLOUDS[provider]
  const opener = secrets.open('job', `cloud account ${name}`)
  const plain = Object.fromEntries(
    Object.keys(CLOUD_ATTRS[provider]).map((field) => {
      const value = attrs[field]
      const isSealed = typeof value === 'object' && value !== null && '$sealed' in value
      return [field, isSealed ? opener(sealedBytes(value as SealedInJson)) : value]
    }),
  )
  // Where a private cloud is, the account says; a relay is the way to those on the internet.
  const relay = CLOUD_PROVIDERS[provider].isPrivate ? undefined : config.cloudRelay
  const transport = new CloudTransport({ ...options, relay })
  try {
    const answer = await work(open(plain, transport))
    await keepValidity(kernel, account, true)
    return answer
  } catch (error) {
    if (error instanceof CloudError && error.fault === 'denied') await keepValidity(kernel, account, false)
    throw error
  } finally {
    await transport.close()
  }
}

/** The validity of the keys that were tried: others may be stored by now. */
async function keepValidity(
  { db }: Pick<Kernel, 'db'>,
  { id, attrs }: StoredAccount,
  validity: boolean,
): Promise<void> {
  const isSame = and(eq(cloudAccount.id, id), eq(cloudAccount.attrs, attrs), ne(cloudAccount.validity, validity))
  await db.update(cloudAccount).set({ validity }).where(isSame)
}
