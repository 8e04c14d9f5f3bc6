/** Keys that JumpServer derives from its SECRET_KEY, one set for each form that sealed something. */
export interface DerivedKeys {
  /** AES-256-GCM, its default since 2.3. */
  gcm: Buffer
  /** AES-ECB up to 2.2: AES-128 for a key of up to 16 bytes, else AES-256. */
  aesBlocks: Buffer
  /** SM4-ECB since 2.5. Two only where the key is shorter than 16 bytes. */
  sm4: readonly Buffer[]
  /** Signed texts of 1.x. */
  signer: Buffer
}

/** The SECRET_KEYs of an installation, the present one first, then earlier ones. */
export interface SecretKeys {
  readonly texts: readonly string[]
  readonly derived: readonly DerivedKeys[]
}

/** Keys are derived once, since an import opens some hundred thousand secrets. Throws on an empty key. */
export function secretKeys(texts: readonly string[]): SecretKeys {
  const distinct = [...new Set(texts)]
  if (distinct.length === 0 || distinct.includes('')) throw new RangeError('A SECRET_KEY is empty')
  return { texts: distinct, derived: distinct.map(derive) }
}

function derive(text: string): DerivedKeys {
  const bytes = Buffer.from(text, 'utf8')
  return {
    gcm: bytes.length >= 32 ? bytes.subarray(0, 32) : padded(bytes, 32, 32 - bytes.length),
    // 2.19 cut at 32 characters, later versions at 32 bytes. Where these differ, the former is no key.
    aesBlocks: toBlocks(bytes.subarray(0, 32)),
    sm4: sm4Keys(bytes),
    signer: bytes,
  }
}

/**
 * SM4 takes the first 16 bytes. A shorter key is filled with zeros since 2.28 and was filled as
 * PKCS7 does to 32 bytes, then cut, in 2.19.
 */
export const sm4Keys = (bytes: Buffer): readonly Buffer[] =>
  bytes.length >= 16
    ? [bytes.subarray(0, 16)]
    : [padded(bytes, 16, 0), padded(bytes, 32, 32 - bytes.length).subarray(0, 16)]

const toBlocks = (bytes: Buffer) => padded(bytes, Math.ceil(bytes.length / 16) * 16, 0)

const padded = (bytes: Buffer, length: number, value: number) =>
  Buffer.concat([bytes, Buffer.alloc(length - bytes.length, value)])
