export { isKeyToHold, signInByHold } from './hold.ts'
export { signInInBrowser, takesBrowser } from './sign-in.ts'
export { BROWSER_SECONDS } from './stored.ts'
