"""The trainings of a learning curve, each on a part of the conversations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from convgate.gate.model import Gate
from convgate.gate.thresholds import Rule
from convgate.training.comparing import compare_items
from convgate.training.dividing import Parts
from convgate.training.epochs import TrainingSettings
from convgate.training.errors import TrainingError
from convgate.training.fitting import fit_parts
from convgate.training.holding_out import kept_together
from convgate.training.learning_curve import SHARES, CurvePoint, LearningCurve, nested
from convgate.training.progress import Listener, StoppedError
from convgate.training.report import ItemReport
from convgate.training.trainer import Trainer
from convgate.training.verdict import verdict_of


@dataclass(frozen=True, eq=False, slots=True)
class CurveTraining:
    """What every point of the curve has in common."""

    parent: Callable[[], Gate]  # gives a new one each time
    parts: Parts
    settings: TrainingSettings
    rule: Rule
    listener: Listener

    def run(self, folder: Path, whole: ItemReport) -> LearningCurve:
        """The curve, whose last point is the training itself, with its report.

        Each point is kept in the run's folder as soon as it is known, and not made again. Whoever stops it
        gets the points that are known by then, and the last. Raises TrainingError when the disk refuses.
        """
        curve = LearningCurve(verdict_of(whole).parent_f1, whole.conversations)
        kept = LearningCurve.read(folder)
        if kept is not None and replace(kept, points=()) == curve:
            curve = replace(kept, points=tuple(point for point in kept.points if point.share < 1))
        own = [
            one
            for name, some in self.parts.training.items()
            if name not in self.parts.replayed
            for one in some
        ]
        together = kept_together(own)
        chosen = nested(list(set(together)), seed=self.settings.seed)
        stopped = False
        for share, part in list(zip(SHARES, chosen, strict=True))[len(curve.points) :]:
            if share < 1 and stopped:
                continue
            try:
                ids = {one.conversation for one, name in zip(own, together, strict=True) if name in part}
                report = whole if share == 1 else self._report(share, frozenset(ids))
            except (KeyboardInterrupt, StoppedError):
                stopped = True
                continue
            point = CurvePoint.of(share, len(part), report.terms(report.child_kept))
            curve = replace(curve, points=(*curve.points, point))
            try:
                curve.write(folder)
            except OSError as error:
                raise TrainingError(f"the learning curve cannot be saved: {error.strerror}") from error
        return curve

    def _report(self, share: float, conversations: frozenset[str]) -> ItemReport:
        """What training on these conversations gives on those that are compared on."""
        replayed = self.parts.replayed
        some = {
            name: [one for one in known if name in replayed or one.conversation in conversations]
            for name, known in self.parts.training.items()
        }
        parts = replace(self.parts, training=some)
        trainer = Trainer(self.parent(), some, parts.validation, self.settings, replayed=replayed)
        while not trainer.finished:
            self.listener.stage(
                f"Learning curve: {share:.0%} of the conversations, epoch {len(trainer.history) + 1}"
            )
            trainer.epoch(self.listener.progress)
        fit_parts(trainer.best, parts, self.rule)
        report = compare_items(self.parent(), trainer.best, parts.compared, rule=self.rule)
        assert report is not None  # the whole training was compared on the same
        return report
