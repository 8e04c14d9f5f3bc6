import { SessionRefusal } from '../session/refusal.ts'

/** Why a desktop with a screen of such a size, in pixels, is not shown. */
export function screenRefusal({ width, height }: { width: number; height: number }): SessionRefusal {
  if (width && height)
    return new SessionRefusal('The screen of this desktop is too large: {{width}} by {{height}} pixels', {
      width,
      height,
    })
  return new SessionRefusal('This desktop has no screen: it says that it is {{width}} by {{height}} pixels large', {
    width,
    height,
  })
}

/** The last words of a session whose machine sends what its protocol does not know. */
export const BREACH = 'The machine does not keep to its protocol: the session was closed'
