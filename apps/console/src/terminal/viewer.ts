/**
 * The person at the web terminal: the public settings and the person's profile, read once at start.
 */
import { WIRE } from '@sallyport/contract/constants.ts'
import { ApiError, api, setRequestOrg } from '../lib/api.ts'
import { readCookie } from '../lib/cookies.ts'
import { t } from '../lib/i18n.ts'
import type { Profile, PublicSettings } from '../session/session.ts'
import { loginAddress, readPublicSettings } from '../session/start.ts'

/** Text across a picture, and its strength. */
export interface WatermarkText {
  /** Lines are parted by a line break. */
  text: string
  /** Share of the letters' color, from 0 to 1. */
  strength: number
}

export interface Viewer {
  settings: PublicSettings
  profile: Profile
}

/**
 * Loads both; returns undefined when nobody is signed in and the browser is on its way to the
 * sign-in page. @throws ApiError
 */
export async function loadViewer(): Promise<Viewer | undefined> {
  const settingsComing = readPublicSettings()
  // Sessions belong to an organization; the person's own trees span all of them whatever is named
  // here.
  setRequestOrg(readCookie(WIRE.orgCookie))
  try {
    const profile = await api.get<Profile>('/api/v1/users/profile/')
    return { profile, settings: await settingsComing }
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error
    location.assign(loginAddress())
    return undefined
  }
}

/** The watermark over a picture of this asset, or undefined when watermarks are off. */
export const watermarkOf = ({ settings, profile }: Viewer, target: string): WatermarkText | undefined =>
  watermarkBy(settings, `${profile.name}(${profile.username})\n${target}`)

/** Per cent, where the server does not tell. */
const USUAL_STRENGTH = 4

/** The same for any text. */
export function watermarkBy(settings: PublicSettings, text: string): WatermarkText | undefined {
  if (settings.SECURITY_WATERMARK_ENABLED !== true) return undefined
  const { SECURITY_WATERMARK_STRENGTH: strength = USUAL_STRENGTH } = settings
  return { text, strength: Number(strength) / 100 }
}

/** The window's title. */
export function pageTitle({ settings }: Pick<Viewer, 'settings'>): string {
  return `${t('Web Terminal')} - ${settings.LOGIN_TITLE || 'Sallyport'}`
}
