/**
 * An authenticator in software: makes passkeys and answers with them as browsers and devices do
 * (WebAuthn §6), or with one thing wrong at a time.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

type Algorithm = 'ES256' | 'EdDSA' | 'RS256'
const FLAG = { present: 0x01, verified: 0x04, holdsCredential: 0x40 }
const CLIENT_DATA = { create: 'webauthn.create', get: 'webauthn.get' }

interface CreationOptions {
  rp: { id: string }
  user: { id: string }
  challenge: string
}
interface RequestOptions {
  rpId: string
  challenge: string
}

/** False values of an answer. */
interface Lie {
  origin?: string
  rpId?: string
  challenge?: string
  isVerified?: boolean
  counter?: number
  key?: KeyObject
  id?: string
  type?: keyof typeof CLIENT_DATA
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const encode = (map: Map<unknown, unknown>) => Buffer.from(isoCBOR.encode(map as Parameters<typeof isoCBOR.encode>[0]))

/** An authenticator in a browser that shows pages of this origin. */
export function openAuthenticator(origin: string, algorithm: Algorithm = 'ES256') {
  const id = randomBytes(24)
  const { privateKey, publicKey } = keyPair(algorithm)
  let userHandle = ''
  let counter = 0

  const clientData = (type: keyof typeof CLIENT_DATA, challenge: string, lie: Lie) =>
    Buffer.from(
      JSON.stringify({
        type: CLIENT_DATA[lie.type ?? type],
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authData = (rpId: string, flags: number, lie: Lie, more = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lie.counter ?? counter)
    const verified = lie.isVerified === false ? 0 : FLAG.verified
    return Buffer.concat([sha256(lie.rpId ?? rpId), Buffer.from([FLAG.present | verified | flags]), count, more])
  }
  return {
    id: id.toString('base64url'),
    privateKey,
    userHandle: () => userHandle,
    /** Counts its uses from now on. */
    startCounting() {
      counter = 1
    },
    /** Answers the options for a new passkey. */
    create(
      { rp, user, challenge }: CreationOptions,
      lie: Lie = {},
      attestation: Map<unknown, unknown> = new Map(),
      format = 'none',
    ) {
      userHandle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, id, encode(cose(algorithm, publicKey))])
      const attestationObject = encode(
        new Map<string, unknown>([
          ['fmt', format],
          ['attStmt', attestation],
          ['authData', new Uint8Array(authData(rp.id, FLAG.holdsCredential, lie, credential))],
        ]),
      )
      return answer(lie.id ?? id.toString('base64url'), {
        clientDataJSON: clientData('create', challenge, lie),
        attestationObject,
        transports: ['internal', 'hybrid'],
      })
    },
    /** Answers the options for a proof. */
    get({ rpId, challenge }: RequestOptions, lie: Lie = {}) {
      if (counter) counter++
      const data = authData(rpId, 0, lie)
      const clientDataJSON = clientData('get', challenge, lie)
      const signed = Buffer.concat([data, sha256(clientDataJSON)])
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, lie.key ?? privateKey)
      return answer(lie.id ?? id.toString('base64url'), {
        clientDataJSON,
        authenticatorData: data,
        signature,
        userHandle,
      })
    },
  }
}
export type Authenticator = ReturnType<typeof openAuthenticator>

/** As a browser encodes it in JSON. */
function answer(id: string, response: Record<string, Buffer | string | string[]>) {
  const encoded = Object.entries(response).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString('base64url') : value,
  ])
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: Object.fromEntries(encoded),
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  }
}

function keyPair(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return algorithm === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: 2048 })
}

/** A public key in COSE form (RFC 9053). */
function cose(algorithm: Algorithm, key: KeyObject): Map<unknown, unknown> {
  const jwk = key.export({ format: 'jwk' })
  const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'))
  switch (algorithm) {
    case 'ES256':
      return new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(jwk.x)],
        [-3, bytes(jwk.y)],
      ])
    case 'EdDSA':
      return new Map<unknown, unknown>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytes(jwk.x)],
      ])
    case 'RS256':
      return new Map<unknown, unknown>([
        [1, 3],
        [3, -257],
        [-1, bytes(jwk.n)],
        [-2, bytes(jwk.e)],
      ])
  }
}
