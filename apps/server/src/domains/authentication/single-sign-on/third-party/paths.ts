import type { MessengerName } from '../../../notifications/index.ts'
import { safeNext } from '../../next-address.ts'

export const PROFILE_PAGE = '/ui/users/profile'

/** A return address of ours; the profile where none is given. */
export const profileOr = (address: unknown): string => (address ? safeNext(address) : PROFILE_PAGE)

export const bindPage = (name: MessengerName) => `/core/auth/${name}/qr/bind/`
export const signInPage = (name: MessengerName) => `/core/auth/${name}/qr/login/`
