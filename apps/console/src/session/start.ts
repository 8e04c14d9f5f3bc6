/**
 * Start-up, once per page load, in the order of A2.71: public settings, token check,
 * organizations, role.
 */
import { permissionBits } from '@sallyport/contract/access.ts'
import { WIRE } from '@sallyport/contract/constants.ts'
import { ApiError, api, LOGIN_PATH, setRequestOrg } from '../lib/api.ts'
import { readCookie } from '../lib/cookies.ts'
import { keepOrg, readCurrentOrg, storedOrg, switchOrg } from './org.ts'
import { currentRole, storedRole } from './roles.ts'
import { isLicensed, type Org, type Profile, type PublicSettings, type Session, setSession } from './session.ts'

const REDIRECT_DELAY_MS = 100

/**
 * The sign-in page, coming back here afterwards; `/ui/login` is no page to come back to, it names
 * its own `next` (A2.69).
 */
export function loginAddress(): string {
  const { pathname, search } = location
  const next = pathname === '/ui/login' ? new URLSearchParams(search).get('next') : pathname + search
  return next ? `${LOGIN_PATH}?next=${encodeURIComponent(next)}` : LOGIN_PATH
}

/** Reads the public settings; the console works without them. */
export async function readPublicSettings(): Promise<PublicSettings> {
  try {
    const { data } = await api.get<{ data: PublicSettings }>('/api/v1/settings/public/', { quiet: true })
    return { ...data, LOGO_URLS: ownPictures(data.LOGO_URLS) }
  } catch (error) {
    console.error('public settings', error)
    return {}
  }
}

/** The installation's own: those that are built in are for other clients, we draw ours. */
export const ownPictures = (urls: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(urls).filter(([, url]) => !url.startsWith('/static/img/')))

/**
 * An organization to be in: the current one when it is the person's, else the default one, else the
 * first.
 */
function properOrg(current: Org, orgs: readonly Org[]): Org | undefined {
  return orgs.find(({ id }) => id === current.id) ?? orgs.find(({ is_default }) => is_default) ?? orgs[0]
}

/**
 * Loads the session. Returns undefined when the browser is on its way elsewhere (signed out, or
 * another organization).
 * @throws ApiError when the server cannot be asked.
 */
export async function loadSession(): Promise<Session | undefined> {
  const settingsComing = readPublicSettings()
  if (!readCookie(WIRE.csrfCookie)) return leaveForLogin()
  setRequestOrg(readCookie(WIRE.orgCookie))
  let profile: Profile
  try {
    profile = await api.get<Profile>('/api/v1/users/profile/')
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return leaveForLogin()
    throw error
  }
  const settings = await settingsComing
  // Without a license there is no selector to leave the root organization by (A6.24).
  const orgs = (profile.admin_or_audit_orgs ?? []).filter(({ is_root }) => !is_root || isLicensed(settings))
  let org: Org | undefined
  if (orgs.length > 0) {
    // The roles in the profile are those of the organization of the request: a stored organization
    // that the cookie does not name must be asked for again.
    const stored = storedOrg(profile.username)
    const oid = new URLSearchParams(location.search).get('oid')
    const cookie = readCookie(WIRE.orgCookie)
    if (!oid && stored && stored.id !== cookie && orgs.some(({ id }) => id === stored.id)) {
      keepOrg(profile.username, stored)
      location.reload()
      return undefined
    }
    const current = await readCurrentOrg().catch((): Org => ({ id: '', name: '' }))
    org = properOrg(current, orgs)
    if (org && org.id !== current.id) {
      await switchOrg(profile.username, org)
      return undefined
    }
    if (org) keepOrg(profile.username, org)
  }
  const bits = permissionBits(profile.role, profile.current_org_roles ?? [])
  const loaded: Session = {
    settings,
    profile,
    org,
    orgs,
    bits,
    role: currentRole(bits, storedRole(profile.username), orgs.length > 0),
  }
  setSession(loaded)
  return loaded
}

function leaveForLogin(): undefined {
  setTimeout(() => location.assign(loginAddress()), REDIRECT_DELAY_MS)
  return undefined
}
