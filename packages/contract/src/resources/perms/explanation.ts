import type { ActionName } from '../../actions.ts'
import type { Target } from '../../target.ts'
import type { ApplicationCategory } from '../applications/application-types.ts'

/** The answer of `GET /api/v1/perms/explanations/`: whether a session would open now, and why. */
export interface AccessExplanation {
  /** `confirm`: it opens once somebody has confirmed it. */
  verdict: 'allowed' | 'confirm' | 'refused'
  user: Named
  /** `category`: of applications. */
  target: Target & { name: string; category?: ApplicationCategory }
  /** Null where the organization has none. */
  system_user: Named | null
  action: ActionName
  /** All conditions in the order in which a session asks for them. */
  steps: ExplainedStep[]
  /** Those that grant it first, then those that come near to it. */
  permissions: ExplainedPermission[]
}

interface Named {
  id: string
  name: string
}

export type StepName =
  | 'person'
  | 'membership'
  | 'sign_in'
  | 'second_factor'
  | 'target'
  | 'account'
  | 'permission'
  | 'action'
  | 'limits'
  | 'place'
  | 'protocol'
  | 'host_key'
  | 'reachable'
  | 'secret'
  | 'review'
  | 'rules'

export interface ExplainedStep {
  step: StepName
  /** `asks`: it holds once somebody has answered or confirmed. */
  state: 'passed' | 'asks' | 'failed'
  /** A sentence in the caller's language. */
  text: string
  /** The way out of a failed step; null where it is none, or where it is not an administrator's to make. */
  remedy: Remedy | null
}

export interface Remedy {
  /** In the caller's language, as on a button. */
  text: string
  /** The resource whose form it is made in, and its row; null: a new one. */
  resource: 'user' | 'asset' | 'application' | 'asset_permission' | 'application_permission' | 'system_user'
  id: string | null
}

export interface ExplainedPermission {
  id: string
  name: string
  /** Sentences about conditions that it does not meet; empty where it grants it. */
  lacks: string[]
  actions: ActionName[]
  /** By which it names the person: the person, or groups of theirs. */
  people: (Named & { kind: 'user' | 'user_group' })[]
  /** By which it covers the target: the target, or nodes over it. */
  targets: (Named & { kind: 'target' | 'node' })[]
}
