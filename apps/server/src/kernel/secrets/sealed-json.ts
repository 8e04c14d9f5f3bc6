import type { Vault } from './vault.ts'

/**
 * A secret inside a JSON document, in the form by which a key rotation finds it (sealed-places.ts).
 */
export interface SealedInJson {
  /** The sealed value in base64. */
  $sealed: string
}

export const sealInJson = (secrets: Pick<Vault, 'seal'>, plain: string): SealedInJson => ({
  $sealed: secrets.seal(plain).toString('base64'),
})

/** The sealed value, ready to be opened. */
export const sealedBytes = ({ $sealed }: SealedInJson): Buffer => Buffer.from($sealed, 'base64')
