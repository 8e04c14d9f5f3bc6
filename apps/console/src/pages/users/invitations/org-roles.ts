import { t } from '../../../lib/i18n.ts'

/** Roles in an organization as words; an organization's own name for each is on its members page. */
const NAMES = {
  Admin: () => t('Organization administrator'),
  Auditor: () => t('Organization auditor'),
  User: () => t('Organization user'),
}

export const roleNames = (roles: readonly (keyof typeof NAMES)[]): string =>
  roles.map((role) => NAMES[role]()).join(', ')
