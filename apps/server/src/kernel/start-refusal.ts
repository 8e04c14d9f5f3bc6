/** Why a server does not start, in words for its operator, who can mend it. */
export class StartRefusal extends Error {}
