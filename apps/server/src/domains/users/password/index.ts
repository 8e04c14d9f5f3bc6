/** Passwords of people, for who checks and sets them. */
export { checkNewPassword } from './new-password.ts'
export { isPasswordOf, setPassword } from './password.ts'
