-- A zilch study, version 5: runs of an optimiser, each generation recorded in one transaction.
--
-- The file says what it is: "zilc" as the application's number, and the version of this schema. A reader
-- looks at both before anything else.
PRAGMA application_id = 2053729379; -- 0x7a696c63
PRAGMA user_version = 5;

-- Numbers of 64 bits without a sign (seeds and ids) are kept in two's complement: those from 2^63 on look
-- negative here. What is not known, or failed, is NULL; NaN is never stored.
-- A study in which points have violated limits that only their evaluation knows has the columns of violations.sql too.

CREATE TABLE runs (
    run         INTEGER PRIMARY KEY,  -- from 1
    name        TEXT    NOT NULL,     -- what the run is called, such as its method in a comparison
    problem     TEXT    NOT NULL,     -- what is optimised
    data        TEXT    NOT NULL,     -- the file with the data of a regression
    fingerprint TEXT    NOT NULL,     -- of the data
    machine     TEXT    NOT NULL,     -- where the run began
    started     TEXT    NOT NULL,     -- when
    version     TEXT    NOT NULL,     -- of zilch
    seed        INTEGER NOT NULL,
    dim         INTEGER NOT NULL CHECK (dim > 0),
    method      TEXT    NOT NULL,     -- default, published, gaussian, adhoc, ea
    direction   TEXT    NOT NULL,     -- minimize, maximize
    penalty     REAL    NOT NULL      -- for each active coordinate
) STRICT;

-- What was asked for, by name: options of the optimiser, limits, what is done at the end (final), what is optimised
-- (problem), and how, without changing a result (means).
CREATE TABLE settings (
    run   INTEGER NOT NULL REFERENCES runs,
    kind  TEXT    NOT NULL,           -- option, limit, final, problem, means
    name  TEXT    NOT NULL,
    value TEXT    NOT NULL,
    PRIMARY KEY (run, kind, name)
) STRICT, WITHOUT ROWID;

-- Names of coordinates, where there are any.
CREATE TABLE coordinates (
    run        INTEGER NOT NULL REFERENCES runs,
    coordinate INTEGER NOT NULL,      -- from 0
    name       TEXT    NOT NULL,
    PRIMARY KEY (run, coordinate)
) STRICT, WITHOUT ROWID;

-- Counts are since the run began. The best is that of the archive when the generation had closed.
CREATE TABLE generations (
    run          INTEGER NOT NULL REFERENCES runs,
    generation   INTEGER NOT NULL,    -- from 1
    evaluations  INTEGER NOT NULL,
    failures     INTEGER NOT NULL,
    points       INTEGER NOT NULL,    -- different ones
    best_value   REAL,                -- NULL, all four: nothing has succeeded
    best_fitness REAL,                -- the value with the penalty of the active coordinates
    best_active  INTEGER,
    best_point   INTEGER,
    noise        REAL,                -- standard deviation of one evaluation; NULL: not known
    evaluating   REAL NOT NULL,       -- seconds of this generation in the objective
    searching    REAL NOT NULL,       -- and outside it
    PRIMARY KEY (run, generation)
) STRICT, WITHOUT ROWID;

-- The archive: every point once, in the order in which they were first evaluated. A genome is a mask, a bit
-- for each number, the first in the lowest bit of the first byte, and then the numbers that are not 0 as
-- little-endian doubles. They are the point's coordinates; with the method adhoc, dim weights and dim thresholds.
-- In a run with default values they are offsets from these, which are in the state of its checkpoint.
-- Where coordinates have penalties of their own, what those of the active ones add up to stands behind the word
-- 'forgotten', as a double: the other points give it.
-- (With a rowid: a row is then stored in one piece up to the size of a page.)
CREATE TABLE points (
    run    INTEGER NOT NULL REFERENCES runs,
    point  INTEGER NOT NULL,          -- from 0
    active INTEGER NOT NULL,          -- coordinates that are not 0
    genome BLOB    NOT NULL,          -- the word 'forgotten' if its coordinates were dropped
    PRIMARY KEY (run, point)
) STRICT;

-- Every evaluation, in the order in which the archive took them. The id of a point that the refinement chose has
-- 2^61 added to it, the id of a point that was not asked for begins at 2^62.
CREATE TABLE evaluations (
    run        INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    position   INTEGER NOT NULL,      -- from 0 in each generation
    id         INTEGER NOT NULL,
    point      INTEGER NOT NULL,
    value      ANY CHECK (value IS NULL OR typeof(value) = 'real'), -- ANY, as REAL would make 0.0 of -0.0
    fitness    REAL,
    weight     REAL    NOT NULL CHECK (weight > 0), -- in the mean of the point: 1, or by its standard error
    PRIMARY KEY (run, generation, position),
    FOREIGN KEY (run, generation) REFERENCES generations,
    FOREIGN KEY (run, point) REFERENCES points
) STRICT, WITHOUT ROWID;

-- What goes on with a run: the optimiser after its last generation without its archive, which the points and
-- evaluations above give. The sums (FNV-1a, 64 bits) run over all of these, so that a run never goes on from
-- anything else than what was recorded.
CREATE TABLE checkpoints (
    run             INTEGER PRIMARY KEY REFERENCES runs,
    generation      INTEGER NOT NULL, -- 0 before the first
    points          INTEGER NOT NULL,
    points_sum      INTEGER NOT NULL, -- of the genomes, each with its length
    evaluations_sum INTEGER NOT NULL, -- of ids, points, values and weights
    state           BLOB    NOT NULL
) STRICT;

-- What runs recommend after a generation: all from point on is NULL if nothing. A run has ended if it has stopped
-- after its last generation.
CREATE TABLE conclusions (
    run             INTEGER NOT NULL REFERENCES runs,
    generation      INTEGER NOT NULL, -- 0 before the first
    stop            TEXT,             -- a name of zilch_stop; NULL: it has not ended
    point           INTEGER,          -- in the archive, before pruning
    mean            REAL,             -- of fresh evaluations
    deviation       REAL,             -- of one; NULL: there was but one
    fitness         REAL,             -- mean with the penalty
    evaluations     INTEGER,          -- behind the mean
    failures        INTEGER,          -- beside them
    spent           INTEGER,          -- in all, and in the budget of the run
    active          INTEGER,
    pruned          INTEGER,
    held_out_mean   REAL,             -- on what the search never saw; NULL: not measured
    held_out_error  REAL,
    held_out_count  INTEGER,
    x               BLOB,             -- the point: dim little-endian doubles
    PRIMARY KEY (run, generation)
) STRICT;

-- Evaluations that failed, where somebody said why; those of an attempt that was interrupted are here too.
CREATE TABLE failures (
    run        INTEGER NOT NULL REFERENCES runs,
    generation INTEGER NOT NULL,      -- from 1; 0: after the search
    id         INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    output     TEXT    NOT NULL,      -- the end of what a program wrote to its standard error
    PRIMARY KEY (run, generation, id)
) STRICT;

-- Values that have arrived since the last generation was recorded, so that nothing is evaluated twice: of the generation
-- that is under way, or of the final check. The rows of a run go when that generation, or the conclusion, is recorded.
CREATE TABLE journal (
    run        INTEGER NOT NULL REFERENCES runs,
    generation INTEGER NOT NULL,      -- from 1, or 0 after the search
    id         INTEGER NOT NULL,
    sum        INTEGER NOT NULL,      -- FNV-1a, 64 bits, of the point's coordinates
    value      ANY CHECK (value IS NULL OR typeof(value) = 'real'), -- NULL: failed
    error      REAL,                  -- its standard error, if known
    violation  REAL    NOT NULL,
    PRIMARY KEY (run, generation, id, sum)
) STRICT, WITHOUT ROWID;

-- What people have asked of a run while it searches, in the order in which it was said.
CREATE TABLE commands (
    command    INTEGER PRIMARY KEY,   -- from 1
    run        INTEGER NOT NULL REFERENCES runs,
    action     TEXT    NOT NULL,      -- a name of zilch_action
    value      REAL,                  -- of a budget or penalty: the new one
    asked      TEXT    NOT NULL,      -- when
    generation INTEGER                -- after which it was heeded. NULL: not yet
) STRICT;

-- The generation that is open, of a run whose points are evaluated elsewhere: how many have been handed out, and
-- what has come back. The optimiser of the checkpoint, asked for as many, gives the same points.
CREATE TABLE handed (
    run    INTEGER PRIMARY KEY REFERENCES runs,
    points INTEGER NOT NULL
) STRICT;
CREATE TABLE told (
    run      INTEGER NOT NULL REFERENCES runs,
    id       INTEGER NOT NULL,
    is_early INTEGER NOT NULL,        -- came before the first point of the generation was handed out
    value    ANY CHECK (value IS NULL OR typeof(value) = 'real'), -- NULL: failed
    error    REAL,                    -- its standard error, if known
    PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;
