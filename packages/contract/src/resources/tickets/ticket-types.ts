/** Kinds of tickets, value → English label (docs/rules/tickets.md#ticket). */
export const TICKET_TYPES = {
  general: 'General',
  login_confirm: 'Login confirm',
  apply_asset: 'Apply for asset',
  apply_application: 'Apply for application',
  login_asset_confirm: 'Login asset confirm',
  command_confirm: 'Command confirm',
} as const
export type TicketType = keyof typeof TICKET_TYPES

/** Levels of approval, value → English label. */
export const APPROVAL_LEVELS = { 1: 'One level', 2: 'Two level' } as const
