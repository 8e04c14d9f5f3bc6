/** What others need of the proofs that people have of themselves: second factors, keys, passwords of files. */
export { type FileReader, fileReaders } from './file-passwords.ts'
export { bindOtp, isMfaDue, isMfaForced, newOtpSecret, otpUri, takeOtpCode, unbindOtp } from './otp.ts'
export { requireOwnFactor } from './own-factors.ts'
export { ownUndo, profileOf } from './profile.ts'
export { isPublicKeyOf } from './public-key.ts'
