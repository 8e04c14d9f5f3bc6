export { isKeyToHold, signInByHold } from './hold.ts'
export { signInBegunInBrowser, signInInBrowser, takesBrowser } from './sign-in.ts'
export { BROWSER_SECONDS } from './stored.ts'
