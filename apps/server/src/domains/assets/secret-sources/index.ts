export {
  type FetchedSecret,
  type FetchingKernel,
  fetchSecret,
  isOutside,
  keptOutside,
  type MaybeOutside,
} from './fetch-secret.ts'
export { keptIn } from './kept-in.ts'
export { keepOutside } from './reference-rules.ts'
export { type KeyToSign, type Signer, signKey } from './sign-key.ts'
