import type { Vault } from './vault.ts'

/**
 * A secret inside a JSON document: by this form a rotation of the key finds it (sealed-places.ts).
 */
export interface SealedInJson {
  /** The sealed value in base64. */
  $sealed: string
}

export const sealInJson = (secrets: Pick<Vault, 'seal'>, plain: string): SealedInJson => ({
  $sealed: secrets.seal(plain).toString('base64'),
})

/** The sealed value as it is opened. */
export const sealedBytes = ({ $sealed }: SealedInJson): Buffer => Buffer.from($sealed, 'base64')
