/**
 * The rules of WebAuthn, applied by the library: what browsers are asked for, and whether their
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

/** COSE identifiers of ES256, EdDSA and RS256: every authenticator supports one of them. */
const ALGORITHMS = [-7, -8, -257]

/** Loaded with the first passkey: otherwise every start would take a quarter of a second longer. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/)
const common = { id: text(1400), rawId: text(1400), type: z.literal('public-key') }
/**
 * Answer of an authenticator that is being registered; the limits are several times what any sends.
 */
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
/** Answer of an authenticator that proves who somebody is. */
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
 * Options by which a browser makes a passkey. Authenticators of the person's `known` passkeys make
 * no second one.
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
    // Old security keys support neither, and are second factors all the same.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/**
 * The new passkey if the answer is right: made for this challenge and site, and signed. Undefined
 * otherwise.
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
    // The library throws for anything that is wrong, malformed data included.
    return undefined
  }
}

/**
 * The same answer without the maker's attestation, which some authenticators send unasked. Nothing
 * here depends on it, and verifying it would mean to parse certificates of strangers and fetch what
 * they name.
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
 * Options by which a browser asks an authenticator: for one of these passkeys or, if none are
 * given, any that it has for this site.
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
 * Whether this passkey gave the answer, to this challenge and for this site: then its use counter,
 * as the authenticator reports it.
 * @param needsVerification whether the authenticator must have verified the person, by a fingerprint or a PIN: then it is two factors in one
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
      // The counter is compared in the statement that stores it (`takeAnswer`), not here.
      credential: { id: base64url(passkey.credential_id), publicKey: new Uint8Array(passkey.public_key), counter: 0 },
      requireUserVerification: needsVerification,
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}
