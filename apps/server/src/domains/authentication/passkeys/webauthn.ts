/**
 * The rules of WebAuthn, which the library knows: what browsers are asked, and whether their
 * answers are right.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { z } from 'zod'
import type { Passkey, PasskeyCeremony } from '../tables.ts'
import { CEREMONY_MS } from './ceremony.ts'

/** COSE numbers of ES256, EdDSA and RS256: between them every authenticator has one. */
const ALGORITHMS = [-7, -8, -257]

/** Loaded at the first passkey: it is a quarter of a second of every start otherwise. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/)
const common = { id: text(1400), rawId: text(1400), type: z.literal('public-key') }
/** Of an authenticator that is to be known; the sizes are several times what any sends. */
export const newPasskeyAnswer = z.object({
  ...common,
  response: z.object({
    clientDataJSON: text(8192),
    attestationObject: text(65_536),
    transports: z
      .array(z.string().regex(/^[\w-]{1,32}$/))
      .max(8)
      .optional(),
  }),
})
/** Of one that proves who somebody is. */
export const passkeyAnswer = z.object({
  ...common,
  response: z.object({
    clientDataJSON: text(8192),
    authenticatorData: text(8192),
    signature: text(4096),
    userHandle: text(128).nullish(),
  }),
})
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>

export const base64url = (data: Uint8Array): string => Buffer.from(data).toString('base64url')
const transportsOf = (transports: readonly string[]) =>
  transports as NonNullable<RegistrationResponseJSON['response']['transports']>

/**
 * What a browser makes a passkey by. `known` are those that the person has: their authenticators
 * make no second one.
 */
export async function creationOptions(
  ceremony: PasskeyCeremony,
  person: { username: string; name: string },
  siteName: string,
  known: readonly Passkey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: siteName,
    rpID: ceremony.rp_id,
    userName: person.username,
    userDisplayName: person.name,
    userID: Buffer.from(ceremony.user_handle ?? '', 'base64url'),
    challenge: Buffer.from(ceremony.challenge, 'base64url'),
    timeout: CEREMONY_MS,
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      id: base64url(credential_id),
      transports: transportsOf(transports),
    })),
    // Old security keys can do neither, and still are a second factor.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/**
 * The new passkey when the answer is right: it is for this challenge and this site, and signed as
 * it says. Undefined otherwise.
 */
export async function readNewPasskey(
  answer: z.infer<typeof newPasskeyAnswer>,
  ceremony: PasskeyCeremony,
): Promise<Pick<Passkey, 'credential_id' | 'public_key' | 'counter'> | undefined> {
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...answer,
        response: {
          clientDataJSON: answer.response.clientDataJSON,
          attestationObject: await withoutAttestation(answer.response.attestationObject),
        },
        clientExtensionResults: {},
      },
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.origin,
      expectedRPID: ceremony.rp_id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    return id === answer.id
      ? { credential_id: Buffer.from(id, 'base64url'), public_key: Buffer.from(publicKey), counter }
      : undefined
  } catch {
    // The library throws for whatever is not as it must be, malformed data among it.
    return undefined
  }
}

/**
 * The same without the maker's statement about the authenticator, which some send although none was
 * asked for. Nothing here depends on it, and to verify it means to read certificates of strangers
 * and to fetch what they name.
 */
async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await helpers()
  const authData = decodeAttestationObject(Buffer.from(attestationObject, 'base64url')).get('authData')
  return base64url(
    isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]) as Parameters<typeof isoCBOR.encode>[0],
    ),
  )
}

/**
 * What a browser asks an authenticator by: for one of these passkeys, or for any that it has for
 * this site when none are given.
 */
export async function requestOptions(
  ceremony: PasskeyCeremony,
  userVerification: 'required' | 'preferred',
  allowed?: readonly Passkey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: ceremony.rp_id,
    challenge: Buffer.from(ceremony.challenge, 'base64url'),
    timeout: CEREMONY_MS,
    userVerification,
    ...(allowed
      ? {
          allowCredentials: allowed.map(({ credential_id, transports }) => ({
            id: base64url(credential_id),
            transports: transportsOf(transports),
          })),
        }
      : {}),
  })
}

/**
 * Whether this passkey gave the answer, to this challenge and for this site: then how often it was
 * used, as its authenticator says.
 * @param needsVerification whether the authenticator must have recognised the person, by a finger or a code: then it is two factors in one
 */
export async function provenCounter(
  answer: PasskeyAnswer,
  ceremony: PasskeyCeremony,
  passkey: Passkey,
  needsVerification: boolean,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const handle = answer.response.userHandle
  if (passkey.rp_id !== ceremony.rp_id || (handle && handle !== base64url(passkey.user_handle))) return undefined
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.origin,
      expectedRPID: ceremony.rp_id,
      // The counter is compared where it is stored, in one step with storing it.
      credential: { id: base64url(passkey.credential_id), publicKey: new Uint8Array(passkey.public_key), counter: 0 },
      requireUserVerification: needsVerification,
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}
