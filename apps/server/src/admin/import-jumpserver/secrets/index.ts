/** Secrets in databases of JumpServer, for who imports them. */
export { checkKeys, type KeyCheck } from './check-keys.ts'
export { type ClosedReason, type OpenedSecret, type OpeningRule, openSecret, openSecretJson } from './open-secret.ts'
export { enteredKeys, type JumpServerConfig, readKeys } from './read-keys.ts'
export { type SecretKeys, secretKeys } from './secret-keys.ts'
