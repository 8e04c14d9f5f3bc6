import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import { APPLICATION_CATEGORIES } from '../applications/application-types.ts'
import { PASSWORD_LENGTH, passwordFields, planFields, timerFields } from './change-auth.ts'

/**
 * Types of applications that the contract has plans for
 * (docs/rules/accounts.md#app_change_auth_plan).
 */
export const PLAN_TYPES = {
  mysql: 'MySQL',
  oracle: 'Oracle',
  postgresql: 'PostgreSQL',
  mariadb: 'MariaDB',
  sqlserver: 'SQLServer',
} as const
export type PlanType = keyof typeof PLAN_TYPES

/** In the order in which they are offered. */
export const CHANGEABLE_TYPES = [
  'mysql',
  'mariadb',
  'postgresql',
  'sqlserver',
  'oracle',
] as const satisfies readonly PlanType[]

/** By which the passwords of system users are changed on many databases. */
export const appChangeAuthPlan = defineResource({
  name: 'app_change_auth_plan',
  path: '/api/v1/xpack/change-auth-plan/app-plan/',
  label: 'App change auth plan',
  scope: 'org',
  operations: [...CRUD, 'bulk_destroy'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    category: { type: 'choice', label: 'Category', choices: APPLICATION_CATEGORIES, required: true },
    type: { type: 'choice', label: 'Type', choices: PLAN_TYPES, required: true },
    apps: { type: 'refs', label: 'Applications', to: 'application' },
    system_users: {
      type: 'refs',
      label: 'System user',
      helpText: 'Whose passwords in these applications are changed',
      to: 'system_user',
    },
    systemuser_display: { type: 'string', label: 'System user', readOnly: true },
    ...passwordFields,
    password_rules: {
      type: 'object',
      label: 'Rules of the password',
      fields: {
        length: { type: 'integer', label: 'Password length', ...PASSWORD_LENGTH },
        symbol_set: {
          type: 'string',
          label: 'Special characters',
          helpText: 'Those that a password may have; without any, letters and digits alone',
          maxLength: 64,
          blank: true,
        },
      },
    },
    ...timerFields,
    ...planFields,
  },
  mini: ['id', 'name'],
  search: ['name'],
  filters: ['name', 'category', 'type'],
  ordering: ['name', 'type', 'run_times', 'date_created', 'date_updated'],
  defaultOrder: ['name'],
})
export type AppChangeAuthPlan = Row<typeof appChangeAuthPlan>
export type AppChangeAuthPlanDraft = Draft<typeof appChangeAuthPlan>
