import type { StepName } from './explanation.ts'

/**
 * The answer of `GET /api/v1/perms/users/explanation/`: whether a session of the caller would open now,
 * and why not, as far as they may know it. Nothing is said of targets that are not theirs, not even that they exist.
 */
export interface OwnExplanation {
  /** `confirm`: it opens once somebody has confirmed it. */
  verdict: 'allowed' | 'confirm' | 'refused'
  reasons: {
    step: StepName
    /** `asks`: it holds once they, or somebody else, have answered. */
    state: 'asks' | 'failed'
    /** A sentence in the caller's language. */
    text: string
  }[]
  /** Whether a permission, which can be asked for, would help. */
  wants_permission: boolean
  /** The kind of the application that was asked about, which its request names. */
  application?: { category: string; type: string }
}
