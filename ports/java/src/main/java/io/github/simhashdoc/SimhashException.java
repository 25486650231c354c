package io.github.simhashdoc;

/** A named error of the specification. */
public final class SimhashException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Which error it is. */
    private final Problem problem;

    SimhashException(Problem problem, String message) {
        super(problem.id() + ": " + message);
        this.problem = problem;
    }

    /**
     * Returns the named error.
     *
     * @return the error
     */
    public Problem problem() {
        return problem;
    }
}
