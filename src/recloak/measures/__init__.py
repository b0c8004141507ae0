"""Measures: what utility is left."""

from __future__ import annotations

from recloak.core.parameters import parse_spec
from recloak.core.registry import Registry
from recloak.measures.base import Measure

MEASURES: Registry[type[Measure]] = Registry(
    "measures",
    "measure",
    {
        "prediction": "recloak.measures.prediction:Prediction",
        "tailoring-utility": "recloak.measures.tailoring_utility:TailoringUtility",
        "ranking": "recloak.measures.ranking:Ranking",
        "fold-in": "recloak.measures.fold_in:FoldIn",
        "itemsets": "recloak.measures.itemsets:Itemsets",
        "detectability": "recloak.measures.detectability:Detectability",
        "distortion": "recloak.measures.distortion:Distortion",
        "neighbour-prediction": "recloak.measures.neighbour_prediction:NeighbourPrediction",
        "group-prediction": "recloak.measures.group_prediction:GroupPrediction",
        "density": "recloak.measures.density:Density",
        "fidelity": "recloak.measures.fidelity:Fidelity",
        "information-change": "recloak.measures.information_change:InformationChange",
        "survey-distortion": "recloak.measures.survey_distortion:SurveyDistortion",
        "survey-marginals": "recloak.measures.survey_marginals:SurveyMarginals",
        "naive-bayes": "recloak.measures.naive_bayes:NaiveBayes",
        "related-lists": "recloak.measures.related_lists:RelatedLists",
    },
)


def measure(spec: str) -> Measure:
    """The measure of a spec such as ``prediction:recommender=item-mean``.

    Raises ParameterError for an unknown name, an unknown parameter or a wrong value.
    """
    name, values = parse_spec(spec)
    return MEASURES.get(name)(**values)


__all__ = ["MEASURES", "Measure", "measure"]
