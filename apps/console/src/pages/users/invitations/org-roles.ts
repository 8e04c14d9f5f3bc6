import { t } from '../../../lib/i18n.ts'

/** Roles in an organisation as words; an organisation's own name for each is on its members page. */
const NAMES = {
  Admin: () => t('Org Admin'),
  Auditor: () => t('Org Auditor'),
  User: () => t('Org User'),
}

export const roleNames = (roles: readonly (keyof typeof NAMES)[]): string =>
  roles.map((role) => NAMES[role]()).join(', ')
