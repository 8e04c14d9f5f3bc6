export { signInInBrowser, takesBrowser } from './sign-in.ts'
export { BROWSER_SECONDS } from './stored.ts'
