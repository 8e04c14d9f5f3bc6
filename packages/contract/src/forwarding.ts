/** Where connections may be forwarded to from a machine (docs/forwarding.md). */
export const FORWARDING_CHOICES = {
  none: 'Nowhere',
  machine: 'This machine only',
  listed: 'Listed destinations',
} as const
export type Forwarding = keyof typeof FORWARDING_CHOICES

/** Destinations that one permission lists. */
export const DESTINATIONS_MAX = 64

/** The machine itself, in a list of places that a permission forwards to. */
export const MACHINE_ITSELF = '@machine'
